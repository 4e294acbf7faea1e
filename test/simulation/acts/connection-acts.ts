import type { Act, Stage } from '../stage.ts';
import { ORIGINS } from '../stage.ts';

/** The limit depends on the seed. With only one connection, a move leaves its service without any. */
const MAX_CONNECTIONS = 4;

/** Requests the lists of the sidebar, from which other actions start. */
async function showSidebar(stage: Stage, connectionId: string): Promise<void> {
  const { library } = await stage.run.engine.session(connectionId);
  for (const operation of ['applications.list', 'datasets.list']) {
    const query = { operation, path: {}, query: {} };
    await library.openList({ viewId: `sidebar ${operation}`, query, refresh: 'if-stale' });
  }
}

export const CONNECTION_ACTS = {
  connect: {
    weight: 4,
    do: async (stage, draw) => {
      if (stage.connections().length > stage.world.seed % MAX_CONNECTIONS) return 'has enough connections';
      const origin = draw.of(ORIGINS);
      // With small pages, long lists need many requests.
      if (draw.chance(0.5)) stage.run.engine.saveSettings({ pageRows: 10 });
      const draft = { ...stage.newDraft(origin), isReadOnly: draw.chance(0.05) };
      const saved = await stage.save(draft, stage.validToken.get(origin) ?? '');
      await showSidebar(stage, saved.id);
      return `connected ${saved.id} to ${origin}`;
    },
  },
  rename: {
    weight: 5,
    do: async (stage, draw) => {
      const connections = stage.connections();
      if (connections.length === 0) return 'has no connection';
      const connection = draw.of(connections);
      const draft = { ...stage.draftOf(connection), name: stage.newName('Renamed') };
      await stage.save(draft, null);
      return `renamed ${connection.id}`;
    },
  },
  /** A connection is saved while its service is probed and its stores are read. */
  'rename while it is read': {
    weight: 3,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      const { session, connection } = opened;
      const { library } = session;
      if (draw.chance(0.5)) stage.run.engine.lookAtServices();
      const query = { operation: 'datasets.list', path: {}, query: {} };
      const window = { offset: 0, limit: 200, sort: null, narrow: null };
      const page = { offset: 0, limit: 20 };
      const all = { kind: null, applicationId: null, sinceMs: null, untilMs: null };
      const reading = Array.from({ length: 4 }, async () => {
        for (let round = 0; round < 4; round += 1) {
          await library.openList({ viewId: 'renamed', query, refresh: 'always' });
          await library.readRows({ query, window });
          await session.search.find({ typed: 'support', ...all, ...page });
        }
      });
      const read = Promise.allSettled(reading);
      await stage.pause(draw.whole(0, 60));
      const draft = { ...stage.draftOf(connection), name: stage.newName('Renamed') };
      await stage.save(draft, null);
      for (const each of await read)
        if (each.status === 'rejected') stage.refused('read while it is renamed', each.reason);
      return `renamed ${connection.id} while it was read`;
    },
  },
  /** The address of another service and its token are entered in one form. */
  move: {
    weight: 7,
    do: async (stage, draw) => {
      const connections = stage.connections();
      if (connections.length === 0) return 'has no connection';
      const connection = draw.of(connections);
      const from = new URL(connection.baseUrl).origin;
      const to = ORIGINS.find((origin) => origin !== from) ?? from;
      const draft = { ...stage.draftOf(connection), baseUrl: to };
      await stage.save(draft, stage.validToken.get(to) ?? '');
      await showSidebar(stage, connection.id);
      return `moved ${connection.id} to ${to}`;
    },
  },
  'enter a token': {
    weight: 4,
    do: async (stage, draw) => {
      const connections = stage.connections();
      if (connections.length === 0) return 'has no connection';
      const connection = draw.of(connections);
      const token = stage.validToken.get(new URL(connection.baseUrl).origin) ?? '';
      await stage.save(stage.draftOf(connection), token);
      await showSidebar(stage, connection.id);
      return `entered a token for ${connection.id}`;
    },
  },
  'test a connection': {
    weight: 1,
    do: async (stage, draw) => {
      const connections = stage.connections();
      if (connections.length === 0) return 'has no connection';
      const result = await stage.run.engine.testConnection(stage.draftOf(draw.of(connections)), null);
      return `tested: ${JSON.stringify(result).length > 0}`;
    },
  },
  forget: {
    weight: 1,
    do: async (stage, draw) => {
      const connections = stage.connections();
      if (connections.length === 0) return 'has no connection';
      const { id } = draw.of(connections);
      for (const [viewId, view] of stage.views) if (view.connectionId === id) stage.views.delete(viewId);
      await stage.run.engine.connections.forget(id);
      stage.has(id, []);
      return `forgot ${id}`;
    },
  },
  'work offline': {
    weight: 2,
    do: async (stage, draw) => {
      const isOffline = draw.chance(0.3);
      await stage.run.engine.setOffline(isOffline);
      return isOffline ? 'works offline' : 'works online';
    },
  },
  settings: {
    weight: 2,
    do: (stage, draw) => {
      const pageRows = draw.of([10, 50, 500]);
      stage.run.engine.saveSettings({ pageRows, prefetchRows: draw.of([0, 200, 20_000]) });
      return `asks for ${pageRows} rows a page`;
    },
  },
  'reset the limits': {
    weight: 1,
    do: (stage) => {
      stage.run.engine.lookAtServices();
      return 'looked at the services';
    },
  },
} as const satisfies Record<string, Act>;
