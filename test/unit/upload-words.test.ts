import { describe, expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import type { Job } from '../../electron/shared/job-contract.ts';
import type { JobState, PreviewColumn, UploadCounts, UploadJob } from '../../electron/shared/upload-model.ts';
import { uncheckedNote } from '../../electron/uploads/row-counts.ts';
import { equation } from '../../renderer/lib/count-words.ts';
import { followFormats } from '../../renderer/lib/format.ts';
import { controlsOf } from '../../renderer/lib/job-controls.ts';
import {
  aboutRows,
  acknowledgedText,
  checkVerdict,
  countSum,
  countText,
  coverageText,
  deletionOutcome,
  environmentText,
  isUploadFound,
  leftText,
  notesOf,
  progressSentence,
  rateText,
  roughly,
  rowsWord,
  stampProblem,
} from '../../renderer/lib/upload-words.ts';

const counts: UploadCounts = {
  rows: 10_000,
  rejected: 20,
  acknowledged: 7_000,
  refused: 500,
  unknown: 1_000,
  unsent: 1_480,
};

describe('counts of rows', () => {
  test('are written as a sum whose parts add up to the whole', () => {
    const text = equation(countSum(counts));
    expect(text).toBe(
      '10,000 rows = 7,000 acknowledged + 500 refused + 1,000 unknown + 20 bad + 1,480 not sent',
    );
    const [whole, ...parts] = [...text.matchAll(/[\d,]+/g)].map(([figure]) =>
      Number(figure.replace(',', '')),
    );
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(whole);
  });
  test('of nothing are a sum as well', () => {
    const none = { rows: 0, rejected: 0, acknowledged: 0, refused: 0, unknown: 0, unsent: 0 };
    expect(equation(countSum(none))).toBe('0 rows = 0');
  });
  test('name unsent and unstored rows in a list', () => {
    expect(countText(counts)).toBe('7,000 of 10,000 rows · 500 refused · 1,000 unknown · 20 bad');
  });
  test('become a sentence', () => {
    const batches = { total: 10, acknowledged: 7, refused: 1, unknown: 1 };
    expect(progressSentence({ counts, batches })).toBe(
      'Sent 7,000 of 10,000 rows. 1 batch has no answer: it may or may not be stored. 500 rows refused. 20 bad rows skipped.',
    );
    expect(progressSentence({ counts, batches: { ...batches, unknown: 2 } })).toContain(
      '2 batches have no answer: they may or may not be stored.',
    );
  });
});

test('batches are counted once there are some', () => {
  expect(acknowledgedText({ total: 0, acknowledged: 0 }, 'batch', 'batches')).toBe('no batches yet');
  expect(acknowledgedText({ total: 3, acknowledged: 1 }, 'batch', 'batches')).toBe(
    '1 of 3 batches acknowledged',
  );
});

test('an upload is found by its file, model, environment, state and day', () => {
  const job = {
    fileName: 'Churn_May.csv',
    plan: { modelName: 'Bank churn', envType: 'PRODUCTION', envName: null },
    state: 'needs-decision',
    createdAtMs: new Date(2026, 4, 3, 12).getTime(),
  } as UploadJob;
  for (const text of ['', 'churn_may', 'bank CHURN', 'decision', '2026-05-03', ' may  production 2026-05'])
    expect(isUploadFound(job, text.trim()), text).toBe(true);
  for (const text of ['fraud', 'done', '2026-06', 'churn done'])
    expect(isUploadFound(job, text), text).toBe(false);
});

test('an upload is found by its day in the display time zone', () => {
  const formats = { numbers: 'comma', dates: 'day-month', isTwelveHours: false } as const;
  onTestFinished(() => followFormats(() => ({ zone: undefined, ...formats })));
  const job = {
    fileName: 'churn.csv',
    plan: { modelName: 'Bank churn', envType: 'PRODUCTION', envName: null },
    state: 'done',
    createdAtMs: Date.parse('2026-12-31T23:30:00Z'),
  } as UploadJob;
  for (const [zone, day] of [
    ['America/New_York', '2026-12-31'],
    ['Pacific/Auckland', '2027-01-01'],
  ] as const) {
    followFormats(() => ({ zone, ...formats }));
    expect(
      ['2026-12-31', '2027-01-01'].filter((text) => isUploadFound(job, text)),
      zone,
    ).toEqual([day]);
  }
});

describe('actions available on an upload', () => {
  test('of a job follow from its state', () => {
    const offered = (state: JobState) =>
      controlsOf({
        kind: 'upload',
        state: state === 'scheduled' ? 'ready' : state,
        startAtMs: state === 'scheduled' ? 5 : null,
      } as Job).map(({ action }) => action);
    expect(offered('running')).toEqual(['pause', 'cancel']);
    expect(offered('paused')).toEqual(['resume', 'schedule', 'cancel']);
    expect(offered('ready')).toEqual(['start', 'schedule', 'cancel']);
    expect(offered('scheduled')).toEqual(['start', 'schedule', 'cancel']);
    for (const state of ['done', 'failed', 'cancelled'] as const) expect(offered(state)).toEqual(['forget']);
  });
  test('speed is shown for a running job only, time left also for a waiting one', () => {
    expect(rateText({ rowsPerSecond: 812.4, state: 'running' })).toBe('812 rows/s');
    expect(rateText({ rowsPerSecond: 1.26, state: 'running' })).toBe('1.3 rows/s');
    expect(rateText({ rowsPerSecond: 812, state: 'paused' })).toBeNull();
    expect(leftText({ etaMs: 8_600, state: 'waiting' })).toBe('9 s left');
    expect(leftText({ etaMs: 8_600, state: 'paused' })).toBeNull();
  });
});

describe('estimated counts', () => {
  test('are marked as estimates', () => {
    expect(aboutRows(300_016)).toBe('about 300,000 rows');
    expect(aboutRows(274)).toBe('about 274 rows');
    expect(roughly(0)).toBe('1 s');
    expect(roughly(999.6)).toBe('1 s');
    expect(roughly(12_400)).toBe('13 s');
  });
});

describe('deletions of events', () => {
  test('take times in the form of the service', () => {
    expect(stampProblem('2026-03-12 14:00:00')).toBeNull();
    for (const text of ['', '2026-03-12', '2026-13-12 14:00:00', '2026-03-12T14:00:00', '12 Mar 2026']) {
      expect(stampProblem(text)).toMatch(/^Expected/);
    }
  });
  test('are unknown if the answer was lost, never failed or done', () => {
    const error = {
      code: 'TIMEOUT',
      title: '',
      message: '',
      retry: 'later',
      details: { outcome: 'unknown' },
    } as const;
    expect(deletionOutcome({ status: 'unknown', error: null, jobId: null })).toBe('unknown');
    expect(deletionOutcome({ status: 'sending', error, jobId: null })).toBe('unknown');
    expect(deletionOutcome({ status: 'SUCCESS', error: null, jobId: 'j' })).toBe('deleted');
    expect(deletionOutcome({ status: 'FAILURE', error: null, jobId: 'j' })).toBe('failed');
    expect(deletionOutcome({ status: 'not-sent', error: null, jobId: null })).toBe('failed');
    expect(deletionOutcome({ status: 'accepted', error: null, jobId: 'j' })).toBe('accepted');
    expect(deletionOutcome({ status: 'STARTED', error: null, jobId: 'j' })).toBe('going-on');
    expect(deletionOutcome({ status: 'scheduled', error: null, jobId: null })).toBe('scheduled');
    expect(deletionOutcome({ status: 'cancelled', error: null, jobId: null })).toBe('cancelled');
  });
});

describe('the check of a file', () => {
  const run = { rows: 10, badRows: 0 };

  test('calls no row good before it says which columns of the model the file fills', () => {
    const some = { ...run, modelColumns: { filled: 1, total: 11 } };
    expect(coverageText(some, 'Bank churn')).toMatch(/^This file fills 1 of the 11 columns of Bank churn/);
    expect(checkVerdict(some)).toBe('No bad rows in the columns that this file fills.');
    expect(rowsWord(some)).toBe('readable');
    const all = { ...run, modelColumns: { filled: 11, total: 11 } };
    expect(coverageText(all, 'Bank churn')).toBeNull();
    expect(checkVerdict(all)).toBe('Every row is good.');
    expect(rowsWord(all)).toBe('good');
  });

  test('calls rows readable, not good, if the model is unknown', () => {
    const unknown = { ...run, modelColumns: null };
    expect(coverageText(unknown, 'Bank churn')).toMatch(/does not provide the schema of Bank churn/);
    expect(checkVerdict(unknown)).toBe('Every row can be read.');
    expect(rowsWord(unknown)).toBe('readable');
  });

  test('does not blame the service if only this check could not read the model', () => {
    const notes = [uncheckedNote(new AppError('OFFLINE', 'Spandeck is offline.'))];
    const unread = { ...run, modelColumns: null, notes };
    expect(coverageText(unread, 'Bank churn')).toBe(
      'The schema of Bank churn could not be read, so rows were read but not checked against it.',
    );
  });
});

test('a doubt about a type is left out once the column has another one, as from its model', () => {
  const doubt = 'Column “Age” is taken as text because of 4 of 80 sampled values.';
  const columns = [
    { name: 'Age', type: 'str', emptyCount: 0, samples: [], notes: [{ about: 'type', text: doubt }] },
    { name: 'Name', type: 'str', emptyCount: 0, samples: [] },
  ] as const satisfies readonly PreviewColumn[];
  const preview = { notes: ['The encoding is UTF-8.', doubt], columns: [...columns] };
  expect(notesOf(preview, () => undefined)).toEqual(preview.notes);
  expect(notesOf(preview, (name) => (name === 'Age' ? 'int' : 'str'))).toEqual(['The encoding is UTF-8.']);
});

test.each([
  ['PRODUCTION', null, 'production'],
  ['PRE_PRODUCTION', 'training_2024', 'pre-production / training_2024'],
  ['Blue', ' eu-west ', 'Blue / eu-west'],
])('the environment %s %s is written as %s', (envType, envName, text) => {
  expect(environmentText({ envType, envName })).toBe(text);
});
