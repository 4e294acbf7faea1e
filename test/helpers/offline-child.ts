/**
 * A process with a complete engine. It starts one job of each kind while the service is unreachable, and is killed by
 * the test.
 */
import { parseArgs } from 'node:util';
import { BEGIN, type Begun, type Known, News, openEngine, waits, whenAll } from './offline-work.ts';

const { values } = parseArgs({
  options: { folder: { type: 'string', default: '' }, known: { type: 'string', default: '' } },
});
const known: Known = JSON.parse(values.known);
const news = new News();
const engine = openEngine(values.folder, () => news.notify());
const session = await engine.session(known.connectionId);
const work = { ...known, engine, session, folder: values.folder };
const begun: Begun[] = [];
for (const [name, begin] of Object.entries(BEGIN)) begun.push({ name, ...(await begin(work)) });
await whenAll(session, begun, waits, news);
process.stdout.write('waits\n');
// Keeps the process running until it is killed.
setInterval(() => undefined, 60_000);
