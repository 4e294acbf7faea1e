/**
 * How a value is displayed: conversations of every known form, Markdown, tables, Base64, and values that must remain
 * text.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readMessages } from '../../electron/shared/messages/read-messages.ts';
import { spanMessages } from '../../electron/shared/messages/span-messages.ts';
import { readBinary } from '../../renderer/lib/read/binary.ts';
import { looksLikeMarkdown, readMarkdown } from '../../renderer/lib/read/markdown.ts';
import { beginning, pieces } from '../../renderer/lib/read/pieces.ts';
import { readShape } from '../../renderer/lib/read/shape.ts';
import { withUnit } from '../../renderer/lib/read/units.ts';
import { visible } from '../../renderer/lib/read/visible.ts';

const said = (role: string, text: string) => ({ role, parts: [{ kind: 'text', text }] });
const call = { kind: 'call', name: 'lookup', value: { reference: 93_970 } };
const result = { kind: 'result', name: '', value: { found: true } };

describe('a conversation', () => {
  test.each<[string, unknown]>([
    [
      'chat completions',
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Where?' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'lookup', arguments: '{"reference":93970}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: '{"found":true}' },
        { role: 'assistant', content: 'There.' },
      ],
    ],
    [
      'content blocks beside a system prompt',
      {
        system: 'Be brief.',
        messages: [
          { role: 'user', content: 'Where?' },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'a', name: 'lookup', input: { reference: 93_970 } }],
          },
          { role: 'tool', content: [{ type: 'tool_result', tool_use_id: 'a', content: '{"found":true}' }] },
          { role: 'assistant', content: [{ type: 'text', text: 'There.' }] },
        ],
      },
    ],
    [
      'parts',
      [
        { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] },
        { role: 'user', parts: [{ type: 'text', content: 'Where?' }] },
        {
          role: 'assistant',
          parts: [{ type: 'tool_call', name: 'lookup', arguments: { reference: 93_970 } }],
        },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'a', response: { found: true } }] },
        { role: 'assistant', parts: [{ type: 'text', content: 'There.' }], finish_reason: 'stop' },
      ],
    ],
    [
      'responses',
      {
        instructions: 'Be brief.',
        input: [
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Where?' }] },
          { type: 'function_call', name: 'lookup', arguments: '{"reference":93970}', call_id: 'a' },
          { type: 'function_call_output', call_id: 'a', output: '{"found":true}' },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'There.' }] },
        ],
      },
    ],
    [
      'serialized messages',
      [
        [
          {
            lc: 1,
            type: 'constructor',
            id: ['langchain', 'SystemMessage'],
            kwargs: { content: 'Be brief.' },
          },
          { lc: 1, type: 'constructor', id: ['langchain', 'HumanMessage'], kwargs: { content: 'Where?' } },
          { type: 'ai', content: '', tool_calls: [{ name: 'lookup', args: { reference: 93_970 }, id: 'a' }] },
          { type: 'tool', content: '{"found":true}', tool_call_id: 'a' },
          { type: 'ai', content: 'There.' },
        ],
      ],
    ],
  ])('of %s is read completely', (_, value) => {
    expect(readMessages(value)).toEqual([
      said('system', 'Be brief.'),
      said('user', 'Where?'),
      { role: 'assistant', parts: [call] },
      { role: 'tool', parts: [result] },
      said('assistant', 'There.'),
    ]);
    expect(readShape(JSON.stringify(value)).views[0]).toBe('chat');
  });

  test('in choices, in pairs and as one message is read too', () => {
    expect(readMessages({ choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] })).toEqual([
      said('assistant', 'Hi'),
    ]);
    const alone = [{ name: 'lookup', args: { reference: 93_970 }, id: 'a', type: 'tool_call' }];
    expect(readMessages(alone)).toEqual([{ role: 'assistant', parts: [call] }]);
    expect(readMessages([{ from: 'human', value: 'Hi' }])).toEqual([said('user', 'Hi')]);
    expect(readMessages({ role: 'model', parts: [{ text: 'Hi' }] })).toEqual([said('assistant', 'Hi')]);
  });

  test('is not detected in records that only look like one', () => {
    for (const value of [
      [],
      {},
      [{ role: 'admin', name: 'Ann' }],
      [{ role: 'user', content: 'Hi' }, { price: 3 }],
      { type: 'tool', name: 'search' },
      { input: 'a question', output: 'an answer' },
      { output: [1, 2] },
    ])
      expect(readMessages(value)).toBeNull();
  });

  test('of a span is its system prompt, input, context and output, in any order of attributes', () => {
    const span = {
      span_type: 'llm',
      input: 'Where?',
      output: 'There.',
      span_attributes: { 'system.gen_ai.llm.input.system': 'Be brief.', 'gen_ai.llm.context': 'A map.' },
    };
    expect(spanMessages(span)).toEqual([
      said('system', 'Be brief.'),
      said('user', 'Where?'),
      said('context', 'A map.'),
      said('assistant', 'There.'),
    ]);
    expect(spanMessages({ ...span, span_type: 'tool' })).toBeNull();
    const exported = { span_type: 'llm', llm_input_user: 'Where?', llm_output: 'There.' };
    expect(spanMessages(exported)).toEqual([said('user', 'Where?'), said('assistant', 'There.')]);
  });

  test('any JSON is read without an error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(readShape(value).views.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('records that are not conversations', () => {
  test('rows with the same fields are a table; rows with few common fields are a tree', () => {
    expect(readShape([{ a: 1, b: 2 }, { a: 3 }])).toMatchObject({
      views: ['table', 'json', 'text'],
      table: { columns: ['a', 'b'] },
    });
    expect(readShape([{ a: 1 }, { b: 1 }, { c: 1 }]).views[0]).toBe('json');
    expect(readShape({ a: [1] }).views).toEqual(['json', 'text']);
    expect(readShape({ a: 'x', b: 1, c: null }).views).toEqual(['fields', 'json', 'text']);
    expect(readShape({}).views).toEqual(['json']);
  });

  test('a plain text is text, one with markup is formatted', () => {
    expect(readShape('Hello 2 * 3 * 4, snake_case_name and a-b').views).toEqual(['text']);
    expect(readShape('# Title\n\n- one').views).toEqual(['formatted', 'text']);
    expect(looksLikeMarkdown('**yes**')).toBe(true);
    expect(readShape('{"not": json').views).toEqual(['text']);
  });

  test('base64 is an image only if its bytes are an image that may be drawn', () => {
    const png = Buffer.alloc(60);
    png.write('\u0089PNG\r\n\u001a\n', 'latin1');
    png.writeUInt32BE(3, 16);
    png.writeUInt32BE(2, 20);
    const drawn = readBinary(`data:image/png;base64,${png.toString('base64')}`);
    expect(drawn).toMatchObject({ type: 'image/png', sizeBytes: 60, picture: { width: 3, height: 2 } });
    png.writeUInt32BE(60_000, 16);
    png.writeUInt32BE(60_000, 20);
    expect(readBinary(`data:image/png;base64,${png.toString('base64')}`)?.picture).toBeNull();
    const svg = Buffer.from('<svg onload="alert(1)"/>').toString('base64');
    expect(readBinary(`data:image/svg+xml;base64,${svg}`)?.picture).toBeNull();
    // The type is determined by the bytes, not by the declared text.
    expect(readBinary(`data:image/png;base64,${svg}`)?.picture).toBeNull();
    expect(readBinary('https://example.com/a.png')).toBeNull();
    expect(readBinary('a1'.repeat(200))).toBeNull();
    expect(readBinary('data:image/png;base64,<script>')).toBeNull();
  });

  test('numbers have the unit in their name', () => {
    expect(withUnit('gen_ai.usage.total_tokens', 1_179)).toBe('1,179 tokens');
    expect(withUnit('duration_ms', 423)).toBe('423 ms');
    expect(withUnit('user.cost_usd', 0.000_4)).toBe('$0.0004');
    expect(withUnit('count', 3)).toBeNull();
    expect(withUnit('size_bytes', 'x')).toBeNull();
  });
});

describe('hostile text', () => {
  test('HTML stays text, links and images are their words and addresses', () => {
    const blocks = readMarkdown(
      '<script>alert(1)</script>\n\nA [link](javascript:alert(1)) ![dot](https://a.example/p.png) <b onclick=x>',
    );
    expect(blocks).toEqual([
      { kind: 'plain', text: '<script>alert(1)</script>' },
      {
        kind: 'paragraph',
        inside: [
          { kind: 'text', text: 'A ' },
          { kind: 'link', inside: [{ kind: 'text', text: 'link' }], address: 'javascript:alert(1)' },
          { kind: 'text', text: ' ' },
          { kind: 'picture', text: 'dot', address: 'https://a.example/p.png' },
          { kind: 'text', text: ' ' },
          { kind: 'text', text: '<b onclick=x>' },
        ],
      },
    ]);
  });

  test('terminal escapes and bidirectional marks become visible characters', () => {
    expect(visible('a\u001b[31mb\u202egnp.exe\u2066\tc\nd')).toBe('a␛[31mb⟨U+202E⟩gnp.exe⟨U+2066⟩\tc\nd');
  });

  test('a table of thousands of rows and columns is cut, and shows how many rows are left', () => {
    const [table] = readMarkdown(`|a|b|\n|-|-|\n${'|1|2|\n'.repeat(900)}`);
    expect(table).toMatchObject({ kind: 'table', moreRows: 850 });
    const wide = '|a'.repeat(600);
    const [cut] = readMarkdown(`${wide}|\n${'|-'.repeat(600)}|\n${wide}|`);
    expect(cut).toMatchObject({ kind: 'table', head: { length: 20 } });
  });

  test.each([
    ['nested quotes', '>'.repeat(5_000)],
    ['nested lists', '- '.repeat(5_000)],
    ['nested numbers', '1. '.repeat(5_000)],
    [
      'lists that go deeper by line',
      Array.from({ length: 400 }, (_, at) => `${' '.repeat(at)}- a`).join('\n'),
    ],
  ])('%s are shown unchanged', (_, text) => {
    expect(readMarkdown(text)).toEqual([{ kind: 'plain', text }]);
  });

  test.each([
    ['open emphasis', '_a'.repeat(5_000)],
    ['open brackets', '['.repeat(5_000)],
    ['open code', '`a'.repeat(5_000)],
  ])('too many marks of %s in one line stay text', (_, text) => {
    expect(JSON.stringify(readMarkdown(text))).toContain(text);
  });
});

describe('a long text', () => {
  test('in pieces adds up to the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.integer({ min: 0, max: 600 }),
        (unit, count) => {
          const text = unit.repeat(count);
          const parts = pieces(text);
          expect(parts.join('') === text).toBe(true);
          expect(parts.every((part) => part.length > 0 && part.length <= 8_000)).toBe(true);
          expect(beginning(text)).toBeLessThanOrEqual(20_000);
        },
      ),
    );
  });

  test('starts with 200 lines', () => {
    expect(beginning('a\n'.repeat(500))).toBe(399);
    expect(beginning('short')).toBe(5);
  });
});
