/**
 * The fields of a request besides its envelope, as responders take them.
 *
 * Promise: each field is read once, whatever the request is made of; what is refused is told which field was wrong.
 */
import type * as z from "zod";
import { RefusalError } from "../contract/errors.ts";
import { rpcOutcomes } from "../contract/outcomes.ts";

/** A field's rule and, in words, what it asks for. */
export interface FieldRule<Value> {
	readonly schema: z.ZodType<Value>;
	readonly expected: string;
}

type FieldRules = Readonly<Record<string, FieldRule<unknown>>>;

/** The values that pass the rules. */
export type FieldValues<Rules extends FieldRules> = {
	readonly [Name in keyof Rules]: Rules[Name] extends FieldRule<infer Value> ? Value : never;
};

/**
 * Reads the fields that have rules.
 * @throws {RefusalError} `invalid_request`, for the first field that is wrong or can't be read
 */
export function readFields<const Rules extends FieldRules>(request: object, rules: Rules): FieldValues<Rules> {
	const values = Object.entries(rules).map(([name, rule]) => [name, readField(request, name, rule)] as const);
	return Object.fromEntries(values) as FieldValues<Rules>;
}

function readField(request: object, name: string, { schema, expected }: FieldRule<unknown>): unknown {
	try {
		const parsed = schema.safeParse(Reflect.get(request, name));
		if (parsed.success) return parsed.data;
	} catch {
		// A field that can't be read is as wrong as one that doesn't fit.
	}
	const message = `The request's ${name} must be ${expected}.`;
	throw new RefusalError("invalid_request", { ...rpcOutcomes.invalid_request, message });
}
