/** `mcp`: answers an agent over standard input and output until its client closes them. */
import { Writable } from 'node:stream';
import { AppError } from '../shared/errors.ts';
import { privateFieldsOf } from '../shared/private-fields.ts';
import type { Command } from './commands.ts';
import type { CommandContext } from './context.ts';

type Commands = Readonly<Record<string, () => Promise<Command>>>;

/** `commands`: the implementations behind the tools. */
export async function mcp(context: CommandContext, commands: Commands): Promise<void> {
  const { serveAgents } = await import('./agents/server.ts');
  const { engine, stdin, stdout, signal } = context;
  await serveAgents(
    {
      context,
      access: engine.agents.access,
      log: engine.agents.log,
      version: (await context.version()).replace(/^\D*/, ''),
      privateFields: () => privateFieldsOf(engine.readSettings()),
      run: async (of, command) => {
        const load = commands[command];
        if (load === undefined)
          throw new AppError('INTERNAL', `Expected a command of the engine, got ${command}.`);
        const run = await load();
        return run(of);
      },
    },
    { stdin, stdout: writableOf(stdout) },
    signal,
  );
}

function writableOf(stream: CommandContext['stdout']): Writable {
  return new Writable({
    write: (piece: Buffer, _encoding, done) => {
      stream.write(piece.toString());
      done();
    },
  });
}
