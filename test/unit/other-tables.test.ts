/** Tables and records in forms of other tools are read without loss, refused with the next step, or named in a note. */
import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import { markdownTables } from '../../electron/uploads/unpack/markdown-table.ts';
import { packedFormat } from '../../electron/uploads/unpack/packed-format.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { readBack } from '../helpers/read-back.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

function write(name: string, content: string): string {
  const path = folder.file(name);
  writeFileSync(path, content);
  return path;
}
const inspect = (path: string) => inspectFile({ path, fileId: 'f', override: null, seed: 0.5 });

describe('is refused with the form that was found', () => {
  test.each<[string, string, RegExp]>([
    ['bars.txt', 'id||name||n\n1||Anna||2\n3||||4\n', /separated by “\|\|”.*tab/],
    ['wide bars.csv', 'id || name\n1 || Anna\n2 || Ben\n', /separated by “\|\|”/],
    ['stars.txt', 'id|*|name\n1|*|Anna\n2|*|Ben\n', /separated by “\|\*\|”/],
    ['tildes.txt', 'id|~|name|~|n\n1|~|Anna|~|2\n', /separated by “\|~\|”/],
    ['bars between tildes.txt', 'id~|~name~|~n\n1~|~Anna~|~2\n', /separated by “~\|~”/],
    ['quoted.txt', '"id"|*|"name"\n"1"|*|"Anna"\n"2"|*|"Ben"\n', /separated by “\|\*\|”/],
    ['pairs.csv', 'id=1,name=Anna\nid=2,name=\n', /pairs, a name and its value.*mlr --idkvp --ifs ','/],
    ['pairs.tsv', 'id=1\tname=Anna\nid=2\tname=Ben\n', /pairs.*--ifs 'tab'/],
    ['queries.txt', 'id=1&name=Anna\nid=2&name=Ben\n', /pairs.*--ifs '&'/],
    [
      'list of SAP.txt',
      'Report: ZSD\n\n------------\n|Order |Sum |\n------------\n|000012|1,5-|\n------------\n',
      /a table drawn with lines/,
    ],
    ['shell.json', '{ "_id" : ObjectId("6634f0"), "n" : NumberLong(5) }\n', /shell of MongoDB.*mongoexport/],
    ['rows.edn', '{:id 1 :name "Anna"}\n{:id 2 :name "Ben"}\n', /EDN/],
    ['wiki.txt', '{| class="wikitable"\n! Id !! Name\n|-\n| 1 || Anna\n|}\n', /a table of a wiki/],
    ['table.adoc', '|===\n|Id |Name\n\n|1\n|Anna\n|===\n', /AsciiDoc/],
    ['jira.txt', '||Id||Name||\n|1|Anna|\n', /Jira/],
    ['textile.txt', '|_. Id |_. Name |\n| 1 | Anna |\n', /Textile/],
    ['messages.hl7', 'MSH|^~\\&|A|B|C\rPID|1||123||Doe^John\r', /HL7/],
    ['orders.edi', "UNA:+.? '\nUNH+1+ORDERS:D:96A:UN'\n", /EDI/],
  ])('%s', async (name, content, reason) => {
    await expect(inspect(write(name, content))).rejects.toThrow(reason);
  });

  test.each([
    ['conditions.txt', 'condition\nx || y\nz || w\nq || r\n'],
    ['empty columns.csv', 'left,,right\n1,,2\n3,,4\n'],
    ['one pair.txt', 'a=1\nb=2\n'],
    ['formulas.csv', 'name,formula\nsum,a=b\nmean,c=d\n'],
    ['ids.tsv', 'HP:1\tMONDO:1\nHP:2\tMONDO:2\n'],
    ['prices.txt', 'Anna|$|100\nBen|$|20\nCara|$|30\n'],
    ['names of LDAP.txt', 'cn=Anna,ou=Users,o=Acme\ncn=Ben,ou=Users,o=Acme\n'],
    ['below a heading.txt', 'Results\n-------\n|a|b|\n|---|---|\n|1|2|\n'],
    ['a column below a heading.txt', 'Results\n-------\n|a|\n|---|\n|1|\n'],
  ])('but %s is read', async (name, content) => {
    expect((await readBack(write(name, content))).bad).toEqual([]);
  });
});

describe('two labels in each line', () => {
  test.each(['log.tsv', 'log.txt', 'log.log'])('are named in a note: %s', async (name) => {
    const { notes } = await readBack(write(name, 'host:a\tstatus:200\nhost:b\tstatus:404\n'));
    expect(notes).toMatch(/begins with the same label in its column: “host:”, “status:”.*\(LTSV\).*mlr/);
  });

  test.each([
    ['urls.tsv', 'https://a.b\thttps://c.d\nhttps://e.f\thttps://g.h\n'],
    ['times.csv', 'a:1,10:00\nb:2,11:00\n'],
    ['names.tsv', 'gen_ai:model\tgen_ai:tokens\na:1\tb:2\n'],
    ['ids.tsv', 'hp\tmondo\nHP:1\tMONDO:1\nHP:2\tMONDO:2\n'],
    ['ids without a header.tsv', 'HP:1\tMONDO:1\nHP:2\tMONDO:2\n'],
    ['other names.tsv', 'where\twhat\nhost:a\tstatus:200\nhost:b\tstatus:404\n'],
  ])('but not %s', async (name, content) => {
    expect((await readBack(write(name, content))).notes).not.toContain('same label');
  });
});

describe('a table of Org mode', () => {
  const TABLE =
    '| id | name |  n |\n|----+------+----|\n|  1 | Anna |  2 |\n|----+------+----|\n|  3 | Ben  |  4 |\n';

  test('is read as Markdown, without the blanks and lines of dashes', () => {
    expect(packedFormat('table.txt', Buffer.from(TABLE))).toBe('markdown');
    const [table] = markdownTables(TABLE);
    expect(table?.names).toEqual(['id', 'name', 'n']);
    expect(table?.rows).toEqual([['1', 'Anna', '2'], [], ['3', 'Ben', '4']]);
  });
});

test('the first line of a log is a line of it, not a header', async () => {
  const { notes, rows } = await readBack(
    write('app.log', 'level=info msg="a b" n=1\nlevel=warn msg=c n=2\n'),
  );
  expect(notes).toContain('No header');
  expect(rows).toEqual([['level=info msg="a b" n=1'], ['level=warn msg=c n=2']]);
});

test('backslashes of mysql --batch that stay doubled are named', async () => {
  const { notes } = await readBack(write('batch.tsv', 'id\tpath\tn\n1\ta\\\\b\tNULL\n2\tc\t5\n'));
  expect(notes).toContain('\\\\ in texts are two characters');
});
