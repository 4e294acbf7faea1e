/** Loaded by a process before its own code: its wall time is an hour ahead once the file in `SPANDECK_TEST_JUMP` is there. */
const { existsSync } = require('node:fs');

const HOUR_MS = 3_600_000;
const real = Date.now;
const file = process.env.SPANDECK_TEST_JUMP;
Date.now = () => real() + (existsSync(file) ? HOUR_MS : 0);
