/** Runs in every test file: the data folders of a test are deleted when it ends, or kept if it failed. */
import { afterEach, beforeEach } from 'vitest';
import { beginTest, endTest } from './run-folder.ts';

beforeEach(() => beginTest());
// Runs after the hooks of the test file itself, because those were added later.
afterEach(({ task }) => endTest(task.result?.state === 'fail'));
