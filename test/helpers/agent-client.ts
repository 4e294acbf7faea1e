/**
 * A client of `spandeck mcp`, which runs in a separate process. It makes one call after another over standard input and
 * output.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const response = z.object({
  id: z.number(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.unknown().optional(),
});
const callResult = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  isError: z.boolean().optional(),
});

interface AgentAnswer {
  text: string;
  isError: boolean;
  /** The answer of the command behind the tool. On an error there is none. */
  answer: ReturnType<typeof JSON.parse>;
  notes: string[];
}

interface AgentOptions {
  /** A command such as `strace` that starts the server, with its arguments. */
  within?: readonly string[];
  /** The script of the command line; by default the bundle, which starts in a third of the time. */
  script?: string;
  /** Whether the test looks at every file that the process writes. */
  isTraced?: boolean;
}

export class AgentClient implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (value: z.infer<typeof response>) => void>();
  #lastId = 0;

  private constructor(dataDir: string, { within = [], script = 'dist/cli.js', isTraced }: AgentOptions) {
    const env: NodeJS.ProcessEnv = { ...process.env, DBUS_SESSION_BUS_ADDRESS: '' };
    delete env['SPANDECK_TOKEN'];
    // Tests set it to a cache, to which Node writes at the end.
    if (isTraced === true) delete env['NODE_COMPILE_CACHE'];
    const words = [...within, process.execPath, script, 'mcp', '--data-dir', dataDir];
    this.#child = spawn(words[0] ?? '', words.slice(1), { env, stdio: ['pipe', 'pipe', 'inherit'] });
    if (this.#child.stdout === null) throw new Error('Expected a pipe from the server.');
    createInterface(this.#child.stdout).on('line', (line) => {
      const message = response.parse(JSON.parse(line));
      this.#waiting.get(message.id)?.(message);
    });
  }

  static async start(dataDir: string, options: AgentOptions = {}): Promise<AgentClient> {
    const client = new AgentClient(dataDir, options);
    await client.ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'an agent of a test', version: '1' },
    });
    client.#send({ method: 'notifications/initialized' });
    return client;
  }

  /** Id of the process that was started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async ask(method: string, params: object): Promise<Record<string, unknown>> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = Promise.withResolvers<z.infer<typeof response>>();
    this.#waiting.set(id, answered.resolve);
    this.#send({ id, method, params });
    const { result, error } = await answered.promise;
    if (result === undefined) throw new Error(JSON.stringify(error));
    return result;
  }

  async call(name: string, input: object = {}): Promise<AgentAnswer> {
    const { content, isError = false } = callResult.parse(
      await this.ask('tools/call', { name, arguments: input }),
    );
    const text = content.map((part) => part.text).join('');
    const { answer = null, notes = [] } = isError ? {} : JSON.parse(text);
    return { text, isError, answer, notes };
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Ends as a client does by closing standard input. Resolves with the exit code. */
  async end(): Promise<number | null> {
    const ended = Promise.withResolvers<number | null>();
    this.#child.once('exit', ended.resolve);
    this.#child.stdin?.end();
    return ended.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) await this.end();
  }
}
