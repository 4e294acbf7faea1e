/** Damaged prepared files: how errors reveal them, and that a file is reported if it remains damaged. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isFileDamage, isStoreDamage } from '../../electron/analysis/file-damage.ts';
import { analysisRequest } from '../../electron/analysis/protocol.ts';
import { createSidecars } from '../../electron/analysis/sidecars.ts';
import type { StartChild } from '../../electron/platform/child-process.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const CORRUPT = 'IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2';

test.each([
  CORRUPT,
  'IO Error: Could not read enough bytes from file "a.duckdb": attempted to read 3996 bytes',
  'IO Error: The file "a.duckdb" exists, but it is not a valid DuckDB database file!',
  'IO Error: Cannot open database "a.duckdb" in read-only mode: database does not exist',
  'Serialization Error: Failed to deserialize: expected end of object',
  `FATAL Error: Failed: database has been invalidated because of a previous fatal error.\nOriginal error: "${CORRUPT}"`,
])('%s is damage of a prepared file', (message) => {
  expect(isFileDamage(message)).toBe(true);
});

test.each([
  "Conversion Error: Could not convert string 'Serialization Error: ' to INT32",
  `Invalid Input Error: ${CORRUPT}`,
  'Binder Error: Referenced column "in read-only mode" was not found',
  'Parser Error: syntax error at or near "Corrupt database file"',
  'IO Error: Cannot open file "Corrupt database file": No such file or directory',
  "Conversion Error: Could not convert string 'file is not a database' to INT32",
])('%s quotes text and is not damage', (message) => {
  expect(isFileDamage(message)).toBe(false);
  expect(isStoreDamage(message)).toBe(false);
});

/** A fake engine that prepares files and answers everything else with this error. It records each request. */
function failingEngine(failure: (operation: string) => string | null) {
  const asked: string[] = [];
  const startChild: StartChild = () => {
    let take: (message: unknown) => void = () => undefined;
    return {
      send: (message) => {
        const request = analysisRequest.parse(message);
        const { id, operation } = request;
        asked.push(operation);
        if (request.operation === 'build-sidecar') writeFileSync(request.target, 'damaged');
        const said = failure(operation);
        queueMicrotask(() =>
          take(
            said === null ? { id, kind: 'done', result: { rows: 1 } } : { id, kind: 'failed', message: said },
          ),
        );
      },
      onMessage: (next) => {
        take = next;
      },
      onEnd: () => undefined,
      kill: () => undefined,
    };
  };
  return { asked, startChild };
}

function open(folder: DataFolder, startChild: StartChild) {
  return createSidecars({
    folder: folder.file('sidecars'),
    libraryFile: folder.file('library.db'),
    startChild,
    clock: systemClock,
    logger: silentLogger,
    mostRowsInMemory: 0,
    onPrepared: () => undefined,
  });
}

const GENERATION = { id: 1, listId: 1, revision: 1, rowCount: 10 };

test('a file that is damaged again after it was prepared anew is reported, and each request tries again', async () => {
  using folder = new DataFolder();
  const { asked, startChild } = failingEngine((operation) => (operation === 'positions' ? CORRUPT : null));
  const sidecars = open(folder, startChild);
  for (const _ of [1, 2]) {
    await expect(sidecars.positions(GENERATION, [])).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      message: expect.stringContaining('damaged again'),
    });
    expect(asked.splice(0)).toEqual(['build-sidecar', 'positions', 'build-sidecar', 'positions']);
  }
  await sidecars.stop();
});

test('a failed preparation is reported in words, also if the engine says that a file is damaged', async () => {
  using folder = new DataFolder();
  const { startChild } = failingEngine(() => CORRUPT);
  const sidecars = open(folder, startChild);
  await expect(sidecars.file(GENERATION)).rejects.toMatchObject({
    code: 'INTERNAL',
    message: 'The columns of this list could not be read.',
  });
  await sidecars.stop();
});
