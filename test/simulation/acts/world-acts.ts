import { fillDatabases } from '../databases.ts';
import type { Weather } from '../network.ts';
import type { Act, Stage } from '../stage.ts';
import { ORIGINS } from '../stage.ts';

const WEATHER: Readonly<Record<Weather, number>> = {
  good: 45,
  slow: 12,
  lossy: 20,
  down: 14,
  refused: 8,
  portal: 5,
  redirecting: 3,
  'proxy-503': 5,
  silent: 3,
};
/** The other client respects the limits of the service too. */
const OTHER_CLIENT_PAUSE_MS = 400;
const DAY_MS = 86_400_000;

/** The lid is closed, which cuts every exchange in flight. */
export function sleepFor(stage: Stage, forMs: number): void {
  stage.world.sleep(forMs);
  stage.awakeAtMs = stage.world.nowMs + forMs;
  stage.network.fault('cut by sleep');
  stage.network.cutAll();
  const { run } = stage.computer;
  // Like the window when the system reports that it woke.
  if (run !== null)
    stage.world.add({
      ...{ life: run.life, kind: 'person', label: 'woke', delayMs: forMs },
      run: () => run.engine.lookAtServices(),
    });
}

export const WORLD_ACTS = {
  weather: {
    weight: 8,
    isOutside: true,
    do: ({ network }, draw) => {
      network.weather = draw.weighted(WEATHER);
      return `the network is ${network.weather}`;
    },
  },
  /**
   * Only chosen by a focus: the service is unreachable until the next rest or change of the network, and probes get no
   * answer.
   */
  'silent outage': {
    weight: 0,
    do: async (stage, draw) => {
      if ((await stage.session(draw)) === null) return 'has no connection';
      stage.network.become('down');
      stage.run.engine.lookAtServices();
      await stage.pause(10_000);
      stage.network.become('silent');
      return 'the network is silent';
    },
  },
  'another client': {
    weight: 5,
    isOutside: true,
    do: (stage, draw) => {
      const origin = draw.of(ORIGINS);
      const service = stage.service(origin);
      const datasets = service.datasets();
      const some = datasets.length === 0 ? null : draw.of(datasets);
      const count = draw.of([1, 3, 12, 30]);
      if (some !== null && draw.chance(0.4)) {
        stage.deletedElsewhere.add(String(some['id']));
        service.otherClient('DELETE', `/v3/evals/datasets/${String(some['id'])}`, null);
        return `another client deletes ${String(some['name'])}`;
      }
      const name = stage.newName('Of another client');
      for (let number = 1; number <= count; number += 1) {
        const body = { name: `${name}, ${number}`, application_id: service.applicationId() };
        service.otherClient('POST', '/v3/evals/datasets', body, number * OTHER_CLIENT_PAUSE_MS);
      }
      return `another client makes ${name} ${count} times`;
    },
  },
  'lose the network': {
    weight: 2,
    isOutside: true,
    do: ({ network }) => {
      network.fault('cut at once');
      network.cutAll();
      return 'every connection was cut';
    },
  },
  'change the place': {
    weight: 2,
    isOutside: true,
    do: (stage, draw) => {
      const { network } = stage;
      network.place = draw.of(['home', 'office']);
      network.cutAll();
      if (draw.chance(0.5)) stage.within(({ engine }) => engine.lookAtServices());
      return `in the ${network.place}`;
    },
  },
  sleep: {
    weight: 1,
    isOutside: true,
    do: (stage, draw) => {
      const forMs = draw.of([60_000, 3_600_000, DAY_MS, 3 * DAY_MS]);
      sleepFor(stage, forMs);
      return `sleeps for ${forMs / 60_000} minutes`;
    },
  },
  'clock jumps': {
    weight: 1,
    isOutside: true,
    do: ({ world }, draw) => {
      world.wallAheadMs += draw.of([-3_600_000, -60_000, 60_000, 3_600_000]);
      if (draw.chance(0.4)) world.wallAheadMs = 0;
      return `the clock is ${world.wallAheadMs / 1_000} s ahead`;
    },
  },
  'token expires': {
    weight: 1,
    isOutside: true,
    do: (stage, draw) => {
      const origin = draw.of(ORIGINS);
      stage.issueToken(origin);
      return `the tokens of ${origin} are another one`;
    },
  },
  'keychain locked': {
    weight: 1,
    isOutside: true,
    do: ({ computer }, draw) => {
      computer.isKeychainLocked = draw.chance(0.4);
      return computer.isKeychainLocked ? 'the keychain is locked' : 'the keychain is open';
    },
  },
  'disk full': {
    weight: 1,
    isOutside: true,
    do: ({ disk }, draw) => {
      disk.isFull = draw.chance(0.3);
      return disk.isFull ? 'the disk is full' : 'the disk has room';
    },
  },
  /** Only chosen by a focus so far: the disk has no room, not even for the databases. */
  'databases full': {
    weight: 0,
    isOutside: true,
    do: (_, draw) => {
      const room = draw.of(['room', 'full', 'read-only'] as const);
      fillDatabases(room);
      return `the room of databases is ${room}`;
    },
  },
  /** A process is swapped out or stopped while the others run. */
  suspend: {
    weight: 1,
    isOutside: true,
    do: ({ computer, world }, draw) => {
      const process = draw.of([computer.run, computer.command]);
      if (process === null) return 'nothing runs';
      const forMs = draw.of([1_000, 60_000, 300_000]);
      world.suspend(process.life, forMs);
      return `process ${process.life.pid} is suspended for ${forMs / 1_000} s`;
    },
  },
  'power cut': {
    weight: 1,
    isOutside: true,
    do: ({ computer, network, views }) => {
      network.fault('power cut');
      computer.cutPower();
      views.clear();
      return 'every process ended';
    },
  },
  kill: {
    weight: 4,
    isOutside: true,
    do: ({ computer, views }) => {
      if (computer.run === null) return 'nothing runs';
      computer.kill();
      views.clear();
      return 'killed';
    },
  },
} as const satisfies Record<string, Act>;
