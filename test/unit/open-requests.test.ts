/** Files and links that are passed to the first start, or to a second start. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OpenRequestQueue, readOpenRequest } from '../../electron/platform/open-requests.ts';
import { COMMANDS } from '../../electron/shared/commands.ts';

const all = () => true;

describe('arguments after the name of the program', () => {
  test('that name files are resolved to full paths, each once', () => {
    const { files } = readOpenRequest(
      ['a.csv', '/data/b c.parquet', 'file:///data/d%20e.jsonl', './a.csv'],
      '/home/me',
      all,
    );
    expect(files).toEqual(['/home/me/a.csv', '/data/b c.parquet', '/data/d e.jsonl']);
  });

  test('that name no file are skipped', () => {
    const isFile = (path: string) => path === '/there.csv';
    const words = [
      '--smoke',
      '',
      '/gone.csv',
      'https://example.com/x.csv',
      'file://host/x',
      'a\0b',
      '/there.csv',
    ];
    expect(readOpenRequest(words, '/', isFile)).toEqual({ files: ['/there.csv'], command: null, link: null });
  });

  test.each([
    ['spandeck://uploads', 'go.uploads'],
    ['SPANDECK://Alert-Rules/', 'go.alert-rules'],
    ['spandeck://uploads/delete', null],
    ['spandeck://uploads?x=1', null],
    ['spandeck://connection.new', null],
    ['spandeck://', null],
  ])('%s is %s', (link, command) => {
    expect(readOpenRequest([link], '/', all)).toEqual({ files: [], command, link: null });
  });

  test('for a view are passed to the window unchanged: it checks them and asks', () => {
    const link = 'spandeck://view/eyJ4Ijox';
    expect(readOpenRequest([link], '/', all)).toEqual({ files: [], command: null, link });
    expect(readOpenRequest([`${link}${'a'.repeat(20_000)}`], '/', all).link).toBeNull();
  });

  test('never lead to a command except navigation, nor to a relative path', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(...COMMANDS.map(({ id }) => `spandeck://${id}`)),
      fc.string().map((text) => `spandeck://${text}`),
    );
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const { files, command } = readOpenRequest(words, '/home/me', all);
        expect(command ?? 'go.x').toMatch(/^go\./);
        for (const file of files) expect(file).toMatch(/^\//);
      }),
    );
  });
});

describe('opened files and links', () => {
  const queue = () => {
    const sent: string[] = [];
    const opened = new OpenRequestQueue({
      command: (command) => sent.push(command),
      alert: ({ alert }) => sent.push(alert.name),
    });
    return { sent, opened };
  };

  test('wait until a connection is open', () => {
    const { sent, opened } = queue();
    opened.add({ files: ['/a.csv'], command: null, link: null });
    opened.ready('welcome');
    expect(sent).toEqual([]);
    opened.ready('start');
    expect(sent).toEqual(['uploads.choose']);
    expect(opened.takeFiles()).toEqual(['/a.csv']);
    expect(opened.takeFiles()).toEqual([]);
  });

  test('are shown at once in an open window, and a link once', () => {
    const { sent, opened } = queue();
    opened.ready('start');
    opened.add({ files: [], command: 'go.uploads', link: null });
    opened.ready('uploads');
    expect(sent).toEqual(['go.uploads']);
  });

  test('lead to a view only once a connection is open', () => {
    const sent: unknown[] = [];
    const opened = new OpenRequestQueue({
      command: (command, link) => sent.push([command, link]),
      alert: () => undefined,
    });
    opened.add({ files: [], command: null, link: 'spandeck://view/x' });
    expect(sent).toEqual([]);
    opened.ready('start');
    opened.ready('spans');
    expect(sent).toEqual([['views.open-link', 'spandeck://view/x']]);
  });

  test('and clicked notifications wait while the window is locked or reloads', () => {
    const { sent, opened } = queue();
    opened.ready('start');
    opened.left();
    opened.add({ files: [], command: 'go.uploads', link: null });
    opened.addAlert({ about: 'alert', connectionId: 'c', alert: { ruleId: 'r', name: 'Traffic drops' } });
    opened.ready('locked');
    expect(sent).toEqual([]);
    opened.left();
    opened.ready('start');
    expect(sent).toEqual(['go.uploads', 'Traffic drops']);
  });
});

describe('a command of the menu', () => {
  const menu = () => {
    const sent: string[] = [];
    const opened = new OpenRequestQueue({ command: (id) => sent.push(id), alert: () => undefined });
    return { sent, opened };
  };

  test('before there is a page waits for it, and needs no connection; the last one counts', () => {
    const { sent, opened } = menu();
    opened.addMenu('go.search');
    opened.addMenu('go.settings');
    expect(sent).toEqual([]);
    opened.ready('welcome');
    expect(sent).toEqual(['go.settings']);
    opened.addMenu('app.palette');
    expect(sent).toEqual(['go.settings', 'app.palette']);
  });

  test('waits for a page that reloads, and does nothing in a locked window', () => {
    const { sent, opened } = menu();
    opened.ready('start');
    opened.left();
    opened.addMenu('go.search');
    expect(sent).toEqual([]);
    opened.ready('locked');
    opened.addMenu('go.settings');
    opened.left();
    opened.ready('start');
    expect(sent).toEqual(['go.search']);
  });
});
