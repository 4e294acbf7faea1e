/** Builds that already exist when the window opens. */
import { AppError } from '../../../electron/shared/errors.ts';
import { add, change, create, of, spans } from './builds.ts';
import { NOW, scenario, uuid } from './scenario.ts';

if (scenario.hasPlannedBuild) {
  const { buildId } = create({
    applicationId: uuid(1),
    applicationName: 'Support assistant',
    name: 'Answers',
  });
  add(
    of(buildId),
    Array.from({ length: 250 }, (_, index) => spans().make(index)),
  );
  change(buildId, {
    mapping: [{ bucket: 'inputs', field: 'question', key: 'system.gen_ai.llm.input.user' }],
    target: { kind: 'new', name: 'Answers of May', description: null, metadata: null },
    startAtMs: NOW + 10 * 3_600_000,
  });
}
if (scenario.hasSentBuild) {
  const { buildId } = create({
    applicationId: uuid(0),
    applicationName: 'Support assistant',
    name: 'Answers of April',
  });
  add(of(buildId), [spans().make(900)]);
  for (const span of of(buildId).spans) span.state = 'acknowledged';
  change(buildId, {
    mapping: [
      { bucket: 'inputs', field: 'question', key: 'system.gen_ai.llm.input.user' },
      { bucket: 'expected_outputs', field: 'tone', key: 'system.reply.tone' },
    ],
    target: { kind: 'existing', datasetId: uuid(100), name: 'Refund questions' },
    datasetId: uuid(100),
    state: 'done',
  });
}
if (scenario.hasChangedBuild) {
  const { buildId } = create({
    applicationId: uuid(0),
    applicationName: 'Support assistant',
    name: 'Answers of May',
  });
  add(
    of(buildId),
    Array.from({ length: 250 }, (_, index) => spans().make(index)),
  );
  change(buildId, {
    mapping: [{ bucket: 'inputs', field: 'question', key: 'system.gen_ai.llm.input.user' }],
    target: { kind: 'existing', datasetId: uuid(100), name: 'Refund questions' },
    state: 'stopped',
    reason:
      'Nothing was sent yet. Of 250 spans as you prepared them: 1 span gone, 1 span with other values, 1 span at another time.',
    recheck: { phase: 'found', atMs: NOW, checked: 250, gone: 1, changed: 1, moved: 1 },
  });
}
if (scenario.hasAskingBuild) {
  const { buildId } = create({
    applicationId: uuid(0),
    applicationName: 'Support assistant',
    name: 'Answers of June',
  });
  add(
    of(buildId),
    Array.from({ length: 250 }, (_, index) => spans().make(index)),
  );
  const message =
    'The build Answers of May has 250 spans of the next request on the way to the same dataset. The request was not sent, because its items could then be in the dataset twice.';
  change(buildId, {
    mapping: [{ bucket: 'inputs', field: 'question', key: 'system.gen_ai.llm.input.user' }],
    target: { kind: 'existing', datasetId: uuid(100), name: 'Refund questions' },
    ...{ state: 'paused', reason: message },
    error: new AppError('NEEDS_DECISION', message, { outcome: 'unsent' }).toWire(),
  });
}
