/**
 * `pack create`, `pack open`, `pack show`: writes selected stored data to one encrypted file, and opens such a file as
 * a connection.
 */

import { resolve } from 'node:path';
import { detached } from '../shared/detached.ts';
import { AppError } from '../shared/errors.ts';
import { momentText } from '../shared/local-time.ts';
import type { Named, PackChoice, PackManifest } from '../shared/pack-model.ts';
import { privateFieldsOf } from '../shared/private-fields.ts';
import { checkActionFlags } from './choose.ts';
import type { CommandContext } from './context.ts';
import { counted, nameList, sizeText } from './human-text.ts';
import { askPassphrase } from './passphrase.ts';
import { didYouMean } from './suggestions.ts';

const ACTIONS = ['create', 'open', 'show'] as const;

export async function pack(context: CommandContext): Promise<void> {
  const [typed, file] = context.args.positionals;
  const action = ACTIONS.find((each) => each === typed);
  if (action === undefined) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `pack expects ${ACTIONS.join(', ')}; got ${typed ?? 'nothing'}.${didYouMean(typed ?? '', ACTIONS)}`,
    );
  }
  checkActionFlags(context, action, {
    create: ['output', 'application', 'dataset', 'experiment', 'chart', 'view', 'redact', 'plan'],
  });
  const stop = context.listen('pack:progress', ({ share }) =>
    context.output.progress(`${Math.round(share * 100)} %`),
  );
  const cancel = () => detached('cancelling a pack', context.engine.packs.cancel());
  context.signal.addEventListener('abort', cancel);
  try {
    if (action === 'create') return await create(context);
    if (file === undefined) throw new AppError('INVALID_ARGUMENT', `pack ${action} expects FILE.`);
    await (action === 'open' ? open(context, resolve(file)) : show(context, resolve(file)));
  } finally {
    stop();
    context.signal.removeEventListener('abort', cancel);
  }
}

async function create(context: CommandContext): Promise<void> {
  const { args, output, engine } = context;
  const { connection } = await context.session();
  const nothing: PackChoice = {
    ...{ applications: [], datasets: [], experiments: [], charts: [], views: [], redact: [] },
  };
  const { available } = await engine.packs.plan(connection.id, nothing);
  const parts: PackChoice = {
    applications: args.texts('application').map((each) => idOf(each, available.applications, 'application')),
    datasets: args.texts('dataset').map((each) => idOf(each, available.datasets, 'dataset')),
    experiments: args.texts('experiment').map((each) => idOf(each, available.experiments, 'experiment')),
    charts: args.texts('chart').map((each) => idOf(each, available.charts, 'saved chart')),
    views: [],
    redact: [...new Set([...privateFieldsOf(engine.readSettings()), ...args.texts('redact')])],
  };
  const views = args.texts('view');
  // Views are offered only if the data that they show is chosen.
  const offered = views.length === 0 ? [] : (await engine.packs.plan(connection.id, parts)).available.views;
  const choice = { ...parts, views: views.map((each) => idOf(each, offered, 'saved view')) };
  const plan = await engine.packs.plan(connection.id, choice);
  const cost = `${counted(plan.lists, 'list')}, ${counted(plan.records, 'record')}, ${counted(plan.rows, 'row')}, ${sizeText(plan.sizeBytes)} before packing`;
  if (args.flag('plan')) {
    output.answer(plan, () => [cost, 'Nothing was written.']);
    return;
  }
  const path = args.text('output');
  if (path === null || path === '')
    throw new AppError('INVALID_ARGUMENT', 'pack create expects --output FILE.');
  output.note(`Plan: ${cost}.`);
  const passphrase = await askPassphrase(context, true);
  const made = await engine.packs.create(connection.id, choice, resolve(path), passphrase);
  output.answer(made, () => [
    `Wrote ${made.file} (${sizeText(made.sizeBytes)}).`,
    ...manifestLines(made.manifest),
  ]);
}

function idOf(typed: string, all: readonly Named[], what: string): string {
  const byId = all.find(({ id }) => id === typed);
  if (byId !== undefined) return byId.id;
  const named = all.filter(({ name }) => name === typed);
  const [only] = named;
  if (only !== undefined && named.length === 1) return only.id;
  throw new AppError(
    named.length > 1 ? 'INVALID_ARGUMENT' : 'NOT_STORED',
    named.length > 1
      ? `${named.length} of the kind ${what} are named ${typed}. Use an id.`
      : `No ${what} ${typed} is stored on this computer.${didYouMean(
          typed,
          all.map(({ name }) => name),
        )} Only what is stored can be packed: keep it first.`,
  );
}

async function show(context: CommandContext, path: string): Promise<void> {
  const manifest = await context.engine.packs.show(path, await askPassphrase(context, false));
  context.output.answer(manifest, () => [manifest.name, ...manifestLines(manifest)]);
}

async function open(context: CommandContext, path: string): Promise<void> {
  const connection = await context.engine.packs.open(path, await askPassphrase(context, false));
  context.output.answer({ connectionId: connection.id, name: connection.name, ...connection.pack }, () => [
    `Opened as the read-only connection ${connection.name} (${connection.id}).`,
    `Read it with --connection ${connection.id} --offline.`,
  ]);
}

function manifestLines(manifest: PackManifest): string[] {
  const { madeAtMs, oldestMs, newestMs, lists, records, rows, redact } = manifest;
  const names = (what: string, all: readonly Named[]) =>
    all.length === 0 ? [] : [`${what}: ${nameList(all.map(({ name }) => name))}.`];
  return [
    `Made ${momentText(madeAtMs)}${newestMs === null || oldestMs === null ? '' : `; as of ${momentText(oldestMs)} to ${momentText(newestMs)}`}.`,
    ...names('Applications', manifest.applications),
    ...names('Datasets', manifest.datasets),
    ...names('Experiments', manifest.experiments),
    ...names('Charts', manifest.charts),
    ...names('Views', manifest.views),
    `${counted(lists, 'list')}, ${counted(records, 'record')}, ${counted(rows, 'row')}.`,
    ...(redact.length === 0 ? [] : [`Masked: ${nameList(redact)}.`]),
  ];
}
