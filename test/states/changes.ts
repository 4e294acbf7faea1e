/** A change that waits in the outbox, its record, and other writers of this record. */
import {
  judge,
  NEW_ENTRY,
  type OutboxCore,
  type OutboxEvent,
  outboxTransition,
} from '../../electron/core/jobs/outbox.ts';
import type { JsonObject } from '../../electron/shared/json-body.ts';
import type { OutboxChange } from '../../electron/shared/outbox-model.ts';
import type { Machine, Step } from './explore.ts';

const MINE = 9;
const OTHERS = 3;

export interface Change {
  readonly core: OutboxCore;
  readonly change: OutboxChange;
  /** Value of the record at the service; null if it is deleted. */
  readonly theirs: number | null;
  /** Value that the user saw last; null if none. */
  readonly seen: number | null;
  readonly wasSent: boolean;
  /**
   * Number of records that our request created. The next field is the number of records by others with the same name
   * and content.
   */
  readonly made: number;
  readonly others: number;
  readonly known: readonly string[];
  /** How often the user sent it although the outcome was unknown. */
  readonly insisted: number;
  /** Whether a value was overwritten that the user had not seen. */
  readonly isOverwritten: boolean;
}

const record = (id: string, value: number): JsonObject => ({ id, name: 'n', value });

function targetOf({ change, theirs, made, others }: Change): Parameters<typeof judge>[0]['target'] {
  if (change === 'create') {
    const ours = Array.from({ length: made }, (_, at) => record(`o${at}`, MINE));
    const alien = Array.from({ length: others }, (_, at) => record(`x${at}`, at));
    return { kind: 'list', records: [...ours, ...alien] };
  }
  return theirs === null ? { kind: 'gone' } : { kind: 'record', record: record('r', theirs) };
}

function verdictOf(state: Change): ReturnType<typeof judge> {
  const { change, seen, wasSent, known } = state;
  return judge({
    ...{ change, wasSent, known, isRepeatSafe: change !== 'create', target: targetOf(state) },
    base: change === 'create' || seen === null ? null : record('r', seen),
    body: change === 'delete' ? null : change === 'create' ? { name: 'n', value: MINE } : { value: MINE },
  });
}

/** The state after the request had its effect at the service. */
function arrived(state: Change): Change {
  const { change, theirs, seen, made } = state;
  if (change === 'create') return { ...state, made: made + 1 };
  const isUnseen = theirs !== null && theirs !== seen && theirs !== MINE;
  return {
    ...state,
    theirs: change === 'delete' ? null : MINE,
    isOverwritten: state.isOverwritten || isUnseen,
  };
}

const to = (state: Change, event: OutboxEvent): Change => ({
  ...state,
  core: outboxTransition(state.core, event),
});

function runningSteps(state: Change): Step<Change>[] {
  const verdict = verdictOf(state);
  if (verdict.kind === 'done')
    return [{ name: 'it is found done', apply: () => to(state, { type: 'succeed' }) }];
  if (verdict.kind === 'ask')
    return [
      {
        name: `it asks (${verdict.reason})`,
        apply: () => to(state, { type: 'ask', reason: verdict.reason }),
      },
    ];
  const sent = { ...state, wasSent: true };
  const waits: OutboxEvent = { type: 'wait', reason: '', error: null };
  return [
    { name: 'it is sent and answered', apply: () => to(arrived(sent), { type: 'succeed' }) },
    { name: 'it is sent and its answer is lost', apply: () => to(arrived(sent), waits) },
    { name: 'it is lost on its way', apply: () => to(sent, waits) },
    { name: 'it surely did not leave', apply: () => to(state, waits) },
  ];
}

function personSteps(state: Change): Step<Change>[] {
  const { core, change, made, others } = state;
  const resume: OutboxEvent = { type: 'resume' };
  const cancel = { name: 'a person discards it', apply: () => to(state, { type: 'cancel' }) };
  switch (core.state) {
    case 'ready':
      return [{ name: 'a person starts it', apply: () => to(state, { type: 'start' }) }, cancel];
    case 'waiting':
      return [{ name: 'it goes on', apply: () => to(state, { type: 'wake' }) }, cancel];
    case 'needs-decision': {
      const ids = [
        ...Array.from({ length: made }, (_, at) => `o${at}`),
        ...Array.from({ length: others }, (_, at) => `x${at}`),
      ];
      // The user has seen the current value and sends the change anyway.
      const shown = change === 'create' ? { known: ids, wasSent: false } : { seen: state.theirs };
      const insists = { ...state, ...shown, insisted: Math.min(2, state.insisted + 1) };
      return [{ name: 'a person sends it all the same', apply: () => to(insists, resume) }, cancel];
    }
    default:
      return [];
  }
}

function othersSteps(state: Change): Step<Change>[] {
  const { change, theirs, others } = state;
  if (change === 'create')
    return others < 2
      ? [{ name: 'another one makes one of that name', apply: () => ({ ...state, others: others + 1 }) }]
      : [];
  if (theirs === null) return [];
  return [
    { name: 'another one changes it', apply: () => ({ ...state, theirs: (theirs + 1) % OTHERS }) },
    { name: 'another one deletes it', apply: () => ({ ...state, theirs: null }) },
  ];
}

/** Invariants, whatever other writers do: no unseen value is overwritten, and no record is created twice. */
export const changeMachine: Machine<Change> = {
  name: 'a change of the outbox and its record',
  starts: (['create', 'update', 'delete'] as const).flatMap((change) =>
    [0, null].map((seen) => ({
      ...{ core: NEW_ENTRY, change, theirs: 0, seen, wasSent: false, made: 0, others: 0, known: [] },
      ...{ insisted: 0, isOverwritten: false },
    })),
  ),
  steps: (state) => [
    ...(state.core.state === 'running' ? runningSteps(state) : personSteps(state)),
    ...othersSteps(state),
  ],
  key: ({ core, ...rest }) => `${core.state}|${core.reason}|${JSON.stringify(rest)}`,
  problem: ({ isOverwritten, made, insisted, core, change, theirs }) => {
    if (isOverwritten) return 'A value was overwritten that the person had not seen.';
    if (made > 1 + insisted) return 'It was made twice, and nobody said so.';
    if (core.state === 'done' && change === 'create' && made === 0) return 'It is done and was never made.';
    return core.state === 'done' && change === 'delete' && theirs !== null && theirs === MINE
      ? 'It is done and there.'
      : null;
  },
  isEnd: ({ core }) => core.state === 'done' || core.state === 'cancelled',
};
