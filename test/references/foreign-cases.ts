/**
 * What an independent implementation of the same scheme gave for these ids, URIs, mentions and texts. The scheme is
 * shared between harnesses, so agreement on every value is part of the contract. The package's own code made none of it.
 */
/** A session id and its URI, valid in both directions. */
export const URI_OF_ID: readonly (readonly [id: string, uri: string])[] = [
	["peer-A", "dsh-session:InBlZXItQSI"],
	["", "dsh-session:IiI"],
	["\u6f22\u5b57-\u00e9-\ud83d\ude00", "dsh-session:Iua8ouWtly3DqS3wn5iAIg"],
	["apos'id", "dsh-session:ImFwb3MnaWQi"],
	["<script>", "dsh-session:IjxzY3JpcHQ-Ig"],
	["new\nline\ttab", "dsh-session:Im5ld1xubGluZVx0dGFiIg"],
	["\ud800", "dsh-session:Ilx1ZDgwMCI"],
	["\u2028", "dsh-session:IuKAqCI"],
	["\u00e9", "dsh-session:IsOpIg"],
	[
		"x".repeat(300),
		"dsh-session:Inh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eCI",
	],
	["\ud83d\ude00", "dsh-session:IvCfmIAi"],
];

/** Further canonical URIs and the ids they stand for. */
export const ID_OF_URI: readonly (readonly [uri: string, id: string])[] = [
	["dsh-session:InBlZXItQSI", "peer-A"],
	["dsh-session:ImEi", "a"],
	["dsh-session:IiI", ""],
];

/** Not canonical, for one reason or another. */
export const REFUSED_URIS: readonly string[] = [
	"dsh-session",
	" dsh-session:InBlZXItQSI",
	"dsh-session:InBlZXItQSI=",
	"dsh-session:InB",
	"dsh-session:!!!",
	"dsh-session:bnVsbA",
	"dsh-session:WyJhIl0",
	"dsh-session:ImEiIA",
	"dsh-session:ImFcL2Ii",
	"dsh-session:Ilx1MDBlOSI",
	"dsh-session:Ilx1RDgwMCI",
	"dsh-session:ImEj",
	"dsh-session:ImEiX",
	"dsh-session:ImFiIh",
	"dsh-session:ImFiIgA",
	"dsh-session:InBlZXItQSI\n",
];

/** A reference, its mention, and how the mention reads in the middle of a text: always as one reference. */
export interface MentionCase {
	readonly sessionId: string;
	/** Left out: the mention was made without one. */
	readonly label?: string;
	readonly mention: string;
	/** What replaces the mention in a text. */
	readonly shown: string;
	/** The label that reading gives. */
	readonly readLabel: string;
}

export const MENTIONS: readonly MentionCase[] = [
	{ sessionId: "peer-A", mention: "@[peer-A](dsh-session:InBlZXItQSI)", shown: "@peer-A", readLabel: "peer-A" },
	{
		sessionId: "peer-A",
		label: "My [draft] session",
		mention: "@[My [draft\\] session](dsh-session:InBlZXItQSI)",
		shown: "@My [draft] session",
		readLabel: "My [draft] session",
	},
	{
		sessionId: "peer-A",
		label: "line1\nline2",
		mention: "@[line1\nline2](dsh-session:InBlZXItQSI)",
		shown: "@line1\nline2",
		readLabel: "line1\nline2",
	},
	{
		sessionId: "peer-A",
		label: "\u6f22 \ud83d\ude00 <b>",
		mention: "@[\u6f22 \ud83d\ude00 <b>](dsh-session:InBlZXItQSI)",
		shown: "@\u6f22 \ud83d\ude00 <b>",
		readLabel: "\u6f22 \ud83d\ude00 <b>",
	},
	{ sessionId: "", mention: "@[](dsh-session:IiI)", shown: "@", readLabel: "" },
	{
		sessionId: "peer-A",
		label: "trailing\\",
		mention: "@[trailing\\\\](dsh-session:InBlZXItQSI)",
		shown: "@trailing\\",
		readLabel: "trailing\\",
	},
];

/** A text, what it reads as, and its references as pairs of id and label, in order. */
export const READ_TEXTS: readonly (readonly [
	text: string,
	reads: string,
	references: readonly (readonly [string, string])[],
])[] = [
	["no refs here", "no refs here", []],
	["See @[A](dsh-session:InBlZXItQSI) please", "See @A please", [["peer-A", "A"]]],
	["See dsh-session:InBlZXItQSI.", "See @peer-A.", [["peer-A", "peer-A"]]],
	[
		"dsh-session:InBlZXItQSI,dsh-session:InBlZXItQiI;",
		"@peer-A,@peer-B;",
		[
			["peer-A", "peer-A"],
			["peer-B", "peer-B"],
		],
	],
	["dsh-session:InBlZXItQSI/path", "@peer-A/path", [["peer-A", "peer-A"]]],
	["xdsh-session:InBlZXItQSI", "x@peer-A", [["peer-A", "peer-A"]]],
	["`dsh-session:InBlZXItQSI`", "`@peer-A`", [["peer-A", "peer-A"]]],
	[
		"@[A](dsh-session:InBlZXItQSI)@[A](dsh-session:InBlZXItQSI)",
		"@A@A",
		[
			["peer-A", "A"],
			["peer-A", "A"],
		],
	],
	["@[A](dsh-session:InBlZXItQSI )", "@[A](@peer-A )", [["peer-A", "peer-A"]]],
	['@[A](dsh-session:InBlZXItQSI "title")', '@[A](@peer-A "title")', [["peer-A", "peer-A"]]],
	["@[](dsh-session:InBlZXItQSI)", "@", [["peer-A", ""]]],
	["@[A\\\\](dsh-session:InBlZXItQSI)", "@A\\", [["peer-A", "A\\"]]],
	["@[A[x]](dsh-session:InBlZXItQSI)", "@[A[x]](@peer-A)", [["peer-A", "peer-A"]]],
	["the dsh-session: scheme", "the dsh-session: scheme", []],
	["dsh-session:!!!", "dsh-session:!!!", []],
	["DSH-SESSION:ImEi", "DSH-SESSION:ImEi", []],
	["@[x](http://a) dsh-session:InBlZXItQSI", "@[x](http://a) @peer-A", [["peer-A", "peer-A"]]],
	["```\ndsh-session:InBlZXItQSI\n```", "```\n@peer-A\n```", [["peer-A", "peer-A"]]],
	["@[A](dsh-session:InBlZXItQSI", "@[A](@peer-A", [["peer-A", "peer-A"]]],
	["@[dsh-session:ImEi](dsh-session:InBlZXItQSI)", "@dsh-session:ImEi", [["peer-A", "dsh-session:ImEi"]]],
	["@[\ud800](dsh-session:InBlZXItQSI)", "@\ud800", [["peer-A", "\ud800"]]],
	[
		"@[A](dsh-session:InBlZXItQSI)\ndsh-session:InBlZXItQiI\n",
		"@A\n@peer-B\n",
		[
			["peer-A", "A"],
			["peer-B", "peer-B"],
		],
	],
	["@[A][ref] @[B](dsh-session:InBlZXItQiI)", "@[A][ref] @B", [["peer-B", "B"]]],
	["dsh-session:Ilx1ZDgwMCI", "@\ud800", [["\ud800", "\ud800"]]],
];

/** Texts that hold something that looks like a reference and is none. */
export const REFUSED_TEXTS: readonly string[] = [
	"dsh-session:InBlZXItQSI_x",
	"@[A](dsh-session:)",
	"@[A](dsh-session:bad)",
	"dsh-session:foo is a scheme",
	"@[A](dsh-session:ImEi=)",
];
