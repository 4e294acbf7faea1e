/** Loaded by main before the app: its wall time is as far ahead as `SPANDECK_TEST_AHEAD_MS` and the test say. */
const real = Date.now;
globalThis.clockAheadMs = Number(process.env.SPANDECK_TEST_AHEAD_MS ?? 0);
Date.now = () => real() + globalThis.clockAheadMs;
