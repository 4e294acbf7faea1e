/** Catalog lists and their servers, for tests of the library. */
import type { ListQuery } from '../../electron/shared/model.ts';
import { cleanUpAfterEach } from './clean-ups.ts';
import { LibraryRig } from './library-rig.ts';
import { type Received, type Script, ScriptedServer } from './scripted-server.ts';

export const CATALOG: ListQuery = {
  operation: 'catalog.list',
  path: { application_id: 'app' },
  query: { entity_type: 'attribute' },
};

export function entities(count: number, from = 0, prefix = 'entity'): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${prefix}_${String(from + index).padStart(5, '0')}`,
    semantic_name: index % 3 === 0 ? 'input_tokens' : 'UNKNOWN',
    data_type: index % 2 === 0 ? 'numeric' : 'string',
    first_seen: '2025-01-01T00:00:00Z',
    row_count: (index * 7) % 100,
  }));
}

/** Must be called once at the top of a test file. Objects that the two functions open are closed after each test. */
export function catalogBench() {
  const later = cleanUpAfterEach();
  return {
    serve: async (script: Script): Promise<ScriptedServer> => {
      const server = await ScriptedServer.start(script);
      later(async () => server[Symbol.asyncDispose]());
      return server;
    },
    rigOf: (
      server: ScriptedServer,
      options: ConstructorParameters<typeof LibraryRig>[1] = {},
    ): LibraryRig => {
      const rig = new LibraryRig(server.baseUrl, options);
      later(async () => rig[Symbol.asyncDispose]());
      return rig;
    },
  };
}

export const offsets = (server: ScriptedServer) =>
  server.received.map(({ url }) => Number(new URL(url, 'http://x').searchParams.get('offset')));
export const offsetOf = (request: Received) =>
  Number(new URL(request.url, 'http://x').searchParams.get('offset'));
