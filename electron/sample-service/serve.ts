/**
 * `npm run service`: the sample service as a program. Prints its address when it is ready, and ends on SIGINT or
 * SIGTERM.
 */
import { parseServiceArguments, USAGE } from './arguments.ts';
import { type SampleService, startSampleService } from './start-service.ts';

function refuse(error: unknown, isUsageShown: boolean): void {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.split('\n')[0] ?? '';
  process.stderr.write(`error: ${line}${isUsageShown ? ` Usage: ${USAGE}` : ''}\n`);
  process.exitCode = isUsageShown ? 2 : 1;
}

function stopOnSignal(service: SampleService): void {
  const stop = (): void => {
    service.stop().catch((error: unknown) => refuse(error, false));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

async function main(): Promise<void> {
  let options: ReturnType<typeof parseServiceArguments>;
  try {
    options = parseServiceArguments(process.argv.slice(2));
  } catch (error) {
    refuse(error, true);
    return;
  }
  try {
    const service = await startSampleService(options);
    stopOnSignal(service);
    process.stdout.write(`listening on ${service.baseUrl}\n`);
  } catch (error) {
    refuse(error, false);
  }
}

await main();
