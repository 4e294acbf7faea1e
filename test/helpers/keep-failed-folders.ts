/** In every test file: the data folders of a test are deleted with it, or kept if it failed. */
import { afterEach, beforeEach } from 'vitest';
import { beginTest, endTest } from './run-folder.ts';

beforeEach(() => beginTest());
// Runs after the hooks of the test file itself, which were added later.
afterEach(({ task }) => endTest(task.result?.state === 'fail'));
