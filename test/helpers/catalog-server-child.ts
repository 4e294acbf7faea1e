/**
 * A service with one large application in a separate process, so that its cost does not count for the measured process.
 */
import { ENTITY_TYPES } from '../../electron/shared/catalog-entity.ts';
import { entities } from './catalog-lists.ts';
import { ScriptedServer, sendJson, sendPage } from './scripted-server.ts';

const all = entities(Number(process.argv[2] ?? 1_000));
const byType = new Map<string, typeof all>(
  ENTITY_TYPES.map((type, index) => [type, all.filter((_, at) => at % ENTITY_TYPES.length === index)]),
);
const few = entities(50).map((each) => ({ ...each, id: String(each['name']) }));

const server = await ScriptedServer.start((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://x');
  const type = searchParams.get('entity_type');
  if (pathname.endsWith('/catalog'))
    return sendPage(response, type === null ? all : (byType.get(type) ?? []), request);
  if (pathname.endsWith('/metrics') || /applications\/[^/]+$/.test(pathname)) {
    const data = { id: 'a', name: 'A', metrics: [] };
    return sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data });
  }
  return sendPage(response, few, request);
});
process.stdout.write(`${server.baseUrl}\n`);
