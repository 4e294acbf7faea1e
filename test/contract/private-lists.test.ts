/** Access keys and users that were read do not occur in any table, mirror, or answer to an agent. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AgentClient } from '../helpers/agent-client.ts';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('private-lists');

test('neither the end of the token nor an address leaves the library', async () => {
  await rig.run('applications', '--all');
  const keys = await rig.answered('ls', 'access-keys', '--all');
  const users = await rig.answered('ls', 'users', '--all');
  const secrets: string[] = [keys.items[0].key_suffix, keys.items[0].user.email, users.items[0].email];
  expect(secrets.map((text) => text.length > 3)).toEqual([true, true, true]);

  const views = await rig.answered('sql', '--views');
  expect(JSON.stringify(views)).toContain('applications');
  expect(JSON.stringify(views)).not.toMatch(/access|users/i);
  for (const table of ['access_keys', 'users'])
    expect((await rig.run('sql', `SELECT * FROM ${table}`)).stderr).toContain(
      'users are not views; ls access-keys',
    );
  expect((await rig.run('sql', 'SELECT * FROM lists."Access keys #2"')).code).not.toBe(0);

  const mirrored = await rig.run('mirror', rig.file('mirror'));
  expect(mirrored.code, mirrored.stderr).toBe(0);
  const written = readdirSync(rig.file('mirror'), { recursive: true, encoding: 'utf8' });
  expect(written.join(' ')).toMatch(/applications/);
  expect(written.join(' ')).not.toMatch(/access|users/i);

  await rig.run('agents', 'open', rig.connectionId);
  await using agent = await AgentClient.start(rig.folder);
  const said: string[] = [];
  for (const resource of ['access-keys', 'access-keys.list', 'users', 'users.list']) {
    const listed = await agent.call('list', { resource });
    expect(listed.text).toContain('FORBIDDEN');
    said.push(listed.text, (await agent.call('get', { resource, id: keys.items[0].key_id })).text);
  }
  for (const text of secrets) said.push((await agent.call('search', { text })).text.replaceAll(text, ''));
  for (const select of ['SELECT * FROM access_keys', 'SELECT * FROM users'])
    said.push((await agent.call('sql', { select })).text);
  for (const tool of ['overview', 'jobs', 'limits', 'scores']) said.push((await agent.call(tool)).text);
  expect((await agent.call('list', { resource: 'applications' })).answer.items.length).toBeGreaterThan(0);
  for (const secret of secrets) expect(said.join('\n')).not.toContain(secret);
  expect(await agent.end()).toBe(0);
});
