import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	decodeSessionReferenceUri,
	encodeSessionReferenceUri,
	SESSION_REFERENCE_SCHEME,
	SessionReferenceError,
} from "../../lib/references/index.ts";
import { ID_OF_URI, REFUSED_URIS, URI_OF_ID } from "./foreign-cases.ts";

/** Strings of any UTF-16 code units, so that lone surrogates, BOMs and controls come up all the time. */
const anyString = fc.oneof(
	fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
	fc.string({ unit: fc.constantFrom("\ud800", "\udfff", "\ufeff", '"', "\\", "\0", "a", "😀") }),
);

function failureOf(work: () => unknown): unknown {
	try {
		return work();
	} catch (failure) {
		return failure instanceof SessionReferenceError ? failure.code : failure;
	}
}

describe("a session URI", () => {
	test.each(URI_OF_ID)("agrees with other harnesses on the id %j", (id, uri) => {
		expect(encodeSessionReferenceUri(id)).toBe(uri);
		expect(decodeSessionReferenceUri(uri)).toBe(id);
	});

	test.each(ID_OF_URI)("agrees with other harnesses on the URI %j", (uri, id) => {
		expect(decodeSessionReferenceUri(uri)).toBe(id);
		expect(encodeSessionReferenceUri(id)).toBe(uri);
	});

	test.each(REFUSED_URIS)("is refused when it is spelled %j", (uri) => {
		expect(failureOf(() => decodeSessionReferenceUri(uri))).toBe("SESSION_REFERENCE_INVALID_REFERENCE");
	});

	test("gives back every JavaScript string, lone surrogates and byte order marks included", () => {
		fc.assert(
			fc.property(anyString, (id) => {
				const uri = encodeSessionReferenceUri(id);
				expect(uri).toMatch(/^dsh-session:[A-Za-z0-9_-]+$/);
				expect(decodeSessionReferenceUri(uri)).toBe(id);
			}),
		);
	});

	test("has one spelling: whatever is accepted is what encoding gives", () => {
		const payload = fc.oneof(
			fc.base64String().map((text) => text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "")),
			fc.json().map((json) => Buffer.from(json).toString("base64url")),
			anyString.map((id) => Buffer.from(` ${JSON.stringify(id)}`).toString("base64url")),
			fc
				.tuple(anyString, fc.constantFrom("A", "g", "_"))
				.map(([id, extra]) => encodeSessionReferenceUri(id).slice(SESSION_REFERENCE_SCHEME.length) + extra),
		);
		fc.assert(
			fc.property(payload, (encoded) => {
				const uri = SESSION_REFERENCE_SCHEME + encoded;
				const id = failureOf(() => decodeSessionReferenceUri(uri));
				if (id !== "SESSION_REFERENCE_INVALID_REFERENCE") expect(encodeSessionReferenceUri(String(id))).toBe(uri);
			}),
		);
	});

	test("that is refused is not quoted in the error", () => {
		expect(() => decodeSessionReferenceUri("dsh-session:secret-path")).toThrow(
			expect.objectContaining({ label: null, message: expect.not.stringContaining("secret-path") }),
		);
	});
});
