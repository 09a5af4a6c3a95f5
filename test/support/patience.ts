/**
 * How long a test waits for a condition at most. Nothing ever waits that long; a machine that does ten other things at the
 * same time may be slow, and is no reason to fail.
 */
export const PATIENT = { timeout: 20_000, interval: 10 } as const;
