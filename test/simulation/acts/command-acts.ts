/** Command lines that use the same data folder as the window, each in a separate process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../electron/engine/engine.ts';
import type { Draw } from '../draw.ts';
import type { Act, Stage } from '../stage.ts';
import { csv, LONG, upload as uploadInWindow } from './upload-acts.ts';

/** How long the process of the window is suspended while its upload is taken over, in ms. */
const TAKEN_OVER_MS = 120_000;

type Command = (engine: Engine) => Promise<string>;

/** Starts a command like the shell, while the user continues. */
function start(stage: Stage, name: string, command: Command): string {
  if (stage.computer.command !== null) return 'a command is running';
  stage.computer
    .startCommand(async ({ engine, life }) => {
      await stage.attemptIn(life, name, () => command(engine));
    })
    .catch((thrown: unknown) => stage.refused(name, thrown));
  return name;
}

async function sessionOf(engine: Engine, draw: Draw) {
  const connections = engine.connections.list().connections.filter(({ kind }) => kind === 'service');
  if (connections.length === 0) return null;
  const connection = draw.of(connections);
  return { connection, session: await engine.session(connection.id) };
}

/** Uploads a file that has one of these numbers of rows. */
function upload(stage: Stage, draw: Draw, sizes: readonly number[]): string {
  const rows = draw.of(sizes);
  const firstMarker = stage.takeMarkers(rows);
  const file = join(stage.computer.documents, `command-${firstMarker}.csv`);
  writeFileSync(file, csv(firstMarker, rows, draw));
  return start(stage, 'command upload', async (engine) => {
    const opened = await sessionOf(engine, draw);
    if (opened === null) return 'no connection';
    const { session, connection } = opened;
    const plan = await stage.planOf(engine, session, connection.id, file, draw.of([5, 20]));
    const sent = stage.sends(connection, plan.modelId, firstMarker, rows);
    const { jobId } = await session.uploads.createJob(plan, true, null);
    sent.jobId = jobId;
    const { state } = await session.uploads.whenIdle(jobId);
    return `${jobId} is ${state}`;
  });
}

export const COMMAND_ACTS = {
  'list on the command line': {
    weight: 2,
    isOutside: true,
    do: (stage, draw) =>
      start(stage, 'command ls', async (engine) => {
        const opened = await sessionOf(engine, draw);
        if (opened === null) return 'no connection';
        const query = { operation: draw.of(['datasets.list', 'models.list']), path: {}, query: {} };
        const { freshness } = await opened.session.library.openList({
          ...{ viewId: 'command', query, refresh: 'always' },
        });
        return `${freshness.storedRows} rows`;
      }),
  },
  /** The process ends when the upload is over, and may be killed before. */
  'upload on the command line': {
    weight: 3,
    isOutside: true,
    do: (stage, draw) => upload(stage, draw, [7, 60, 300]),
  },
  /** Only chosen by a focus: the window stays open, and no other command line follows at once. */
  'upload on a command line that is killed': {
    weight: 0,
    do: async (stage, draw) => {
      if (stage.computer.command !== null) return 'a command is running';
      const started = stage.outside(() => upload(stage, draw, LONG));
      await stage.pause(draw.whole(1_000, 3_000));
      if (stage.computer.command === null) return `${started}, which ended`;
      stage.outside(() => stage.computer.kill(stage.computer.command));
      return `${started}, killed`;
    },
  },
  /** Resuming an upload that the window is sending is refused. */
  'resume on the command line': {
    weight: 3,
    isOutside: true,
    do: (stage, draw) =>
      start(stage, 'command uploads resume', async (engine) => {
        const opened = await sessionOf(engine, draw);
        const jobs = opened?.session.uploads.listJobs() ?? [];
        const open = jobs.filter(({ state }) => ['running', 'waiting', 'paused', 'ready'].includes(state));
        if (opened === null || open.length === 0) return 'nothing to resume';
        const { jobId, state } = draw.of(open);
        await opened.session.uploads.controlJob(jobId, state === 'ready' ? 'start' : 'resume');
        return `${jobId} is ${(await opened.session.uploads.whenIdle(jobId)).state}`;
      }),
  },
  /**
   * Only chosen by a focus: the process of the window is suspended for so long that the command line takes over its
   * upload.
   */
  'take an upload over': {
    weight: 0,
    do: async (stage, draw) => {
      const uploaded = await uploadInWindow(stage, draw, null, LONG);
      await stage.pause(draw.whole(0, 1_000));
      stage.world.suspend(stage.run.life, TAKEN_OVER_MS);
      const afterMs = draw.whole(25_000, 60_000);
      const started = start(stage, 'command uploads resume, taken over', async (engine) => {
        await new Promise((resolve) => setTimeout(resolve, afterMs));
        const opened = await sessionOf(engine, draw);
        const jobs = opened?.session.uploads.listJobs() ?? [];
        const open = jobs.filter(({ state }) => state === 'running' || state === 'paused');
        if (opened === null || open.length === 0) return 'nothing to take over';
        const { jobId } = draw.of(open);
        await opened.session.uploads.controlJob(jobId, 'resume');
        return `${jobId} is ${(await opened.session.uploads.whenIdle(jobId)).state}`;
      });
      return `${uploaded}, then ${started}`;
    },
  },
  'kill a command line': {
    weight: 2,
    isOutside: true,
    do: ({ computer }) => {
      if (computer.command === null) return 'no command runs';
      computer.kill(computer.command);
      return 'killed';
    },
  },
} as const satisfies Record<string, Act>;
