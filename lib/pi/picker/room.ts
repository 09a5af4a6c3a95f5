/**
 * How much of the picker is shown on a terminal of which height: all that is needed, in any case.
 *
 * pi keeps lines for itself, and what has no room it leaves out at an end: the keys and what was just said on its full
 * screen, the heading and the filter elsewhere. So on a low terminal nothing but the needed is drawn at all.
 */

/** What there is room for. */
export interface Room {
	/** Whether there are blank lines, and below a title what else there is to know of a session. */
	readonly isAmple: boolean;
	/** Rows of the list. */
	readonly listRows: number;
	/** Lines of the text that is looked at. */
	readonly textLines: number;
}

/** With fewer lines than these, what is drawn for an ample one could miss its end. */
const AMPLE_LINES = 20;

const MOST_ROWS = 15;

/** The room on a terminal of that many lines. Other lines are the picker's own, and what pi draws around it. */
export function roomOf(lines: number): Room {
	const isAmple = lines >= AMPLE_LINES;
	const { listRows, textLines } = isAmple ? ample : low;
	return {
		isAmple,
		listRows: Math.max(listRows.least, Math.min(MOST_ROWS, lines - listRows.others)),
		textLines: Math.max(textLines.least, lines - textLines.others),
	};
}

const ample = { listRows: { least: 3, others: 19 }, textLines: { least: 5, others: 18 } };
const low = { listRows: { least: 1, others: 10 }, textLines: { least: 2, others: 9 } };
