/** Encodings of real files in which only a few words contain letters beyond ASCII. */
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { decoderFor } from '../../electron/uploads/readers/encoding.ts';
import { guessEncoding } from '../../electron/uploads/sniff/sniff-bytes.ts';

test.each<[string, string]>([
  ['utf-8', 'né€𝄞'],
  ['shift_jis', '日本語'],
  ['gbk', '上海'],
  ['gb18030', '上\u{1d11e}'],
  ['big5', '台北'],
  ['euc-jp', '日本語'],
  ['euc-kr', '만족'],
])('a chunk of %s that is cut off within a character is valid text', (encoding, text) => {
  const bytes = iconv.encode(`id,v\n1,${text}`, encoding);
  const { isValid } = decoderFor(encoding);
  for (let end = 0; end <= bytes.length; end += 1)
    expect(isValid(bytes.subarray(0, end), true), `${end}`).toBe(true);
  expect(isValid(bytes)).toBe(true);
  expect(isValid(bytes.subarray(0, -1))).toBe(false);
  expect(isValid(Buffer.concat([bytes, Buffer.from([0xff, 0x0a])]), true)).toBe(false);
});

const HEADER = 'transaction_id,processed_at,amount,merchant_category\n';
/** An English table with one column of words in another language. */
const table = (word: string, rows = 4): string =>
  HEADER + Array.from({ length: rows }, (_, at) => `T${at},2026-03-01T10:00:00Z,10.5,${word}\n`).join('');
const guess = (bytes: Buffer) => guessEncoding('cards.csv', bytes, [], true);

describe('the encoding is found although the rest of the table is English', () => {
  test.each<[string, string]>([
    ['windows-1252', 'Müller – 5 €'],
    ['windows-1252', 'à'],
    ['windows-1252', '“quoted” – dash…'],
    ['windows-1252', 'São Paulo'],
    ['windows-1252', 'Straße in Göttingen'],
    ['windows-1250', 'Łódź i Kraków'],
    ['windows-1250', 'Příliš žluťoučký kůň'],
    ['windows-1251', 'Привет'],
    ['windows-1251', 'Москва и Казань'],
    ['windows-1251', 'Иванов Иван Иванович'],
    ['koi8-r', 'Клиент сообщил об ошибке при оплате'],
    ['koi8-u', 'Замовлення їде до Києва, оплачено карткою'],
    ['cp852', 'Jiří Dvořák, Łukasz Żółć, Őrsi Győző'],
    ['windows-1253', 'Αθήνα Θεσσαλονίκη'],
    ['windows-1251', 'МОСКВА КАЗАНЬ'],
    ['windows-1251', 'ПЛАТЕЖ ОТКЛОНЕН БАНКОМ'],
    ['windows-1251', 'Цена'],
    ['koi8-r', 'Москва'],
    ['koi8-r', 'Оплата картой прошла'],
    ['koi8-r', 'ООО РОМАШКА'],
    ['cp866', 'Привет мир'],
    ['windows-1253', 'ΕΛΛΑΔΑ'],
    ['windows-1253', 'ΗΝΩΜΕΝΟ ΒΑΣΙΛΕΙΟ'],
    ['windows-874', 'สวัสดี'],
    ['windows-874', 'กรุงเทพมหานคร เชียงใหม่'],
    ['windows-874', 'ไม่พอใจ'],
    ['windows-1256', 'الرياض جدة'],
    ['gb18030', '上海 北京'],
    ['gb18030', '价格太贵了'],
    ['shift_jis', 'とても良い'],
    ['big5', '台北 高雄'],
    ['windows-1255', 'שלום תל אביב'],
    ['windows-1256', 'مرحبا القاهرة'],
    ['windows-1257', 'Šiauliai Žemaitija'],
    ['windows-1254', 'Şifremi unuttum, ne yapmalıyım'],
    ['windows-1254', 'Siparişim nerede kaldı'],
    ['windows-1254', 'İstanbul, Iğdır, Diyarbakır'],
    ['windows-1252', 'Sigurður Þorsteinsson'],
    ['windows-1252', 'Hvað er að frétta af þér í dag'],
    ['windows-1252', 'Alþingi íslendinga, ný lög'],
    ['windows-1252', 'Nový'],
    ['cp850', 'Café Müller'],
    ['shift_jis', '日本語テスト'],
    ['shift_jis', '鈴木花子'],
    ['gb18030', '不太满意'],
    ['big5', '不太滿意'],
    ['euc-kr', '만족하지'],
    ['euc-kr', '서울 부산'],
    ['gb18030', '中文测试'],
    ...[
      ...['It’s a “great” tool—really.', 'Price €5 / 5€each / Größe™', 'Windows®, LEGO®, iPhone™'],
      ...['hello\u00a0world', 'wait…what', 'GRÖßE, FUßBALL', 'col·legi', 'naïve café', 'äöü', 'àéèù'],
      ...['año niño mañana', '¿Qué? ¡Hola!', 'Mª José, 1ª', '10 m² bei 5°', '£5m and £bn', 'FRANÇAIS, ÉCOLE'],
    ].map((word): [string, string] => ['windows-1252', word]),
  ])('%s: %s', (encoding, word) => {
    const bytes = iconv.encode(table(word), encoding);
    const { encoding: found, note } = guess(bytes);
    expect(iconv.decode(bytes, found)).toBe(table(word));
    expect(note).toContain(`Encoding ${found}: guessed`);
  });

  test('old Excel for Mac, which ends lines by a carriage return alone', () => {
    const text = table('Müller').replaceAll('\n', '\r');
    const bytes = iconv.encode(text, 'macintosh');
    expect(iconv.decode(bytes, guess(bytes).encoding)).toBe(text);
  });

  test('letters that are ASCII behind escape characters are refused, and not read as ASCII', () => {
    const shifted = `id,name\n1,${String.fromCharCode(0x1b)}$B;3ED${String.fromCharCode(0x1b)}(B\n`;
    const refusal = /got text in ISO-2022.*Save it as UTF-8 first\./;
    expect(() => guess(Buffer.from(shifted))).toThrow(refusal);
    const pieces = [Buffer.from('2,a\n'), Buffer.from(shifted)];
    expect(() => guessEncoding('cards.csv', Buffer.from(HEADER), pieces, false)).toThrow(refusal);
  });

  test('the note shows a word as it was read', () => {
    expect(guess(iconv.encode(table('Привет'), 'windows-1251')).note).toContain('“Привет”');
  });

  test('the note shows the word that other encodings read in another way, without a character cut off', () => {
    expect(guess(iconv.encode(table('Bugün kaldı, beş gün'), 'windows-1254')).note).toContain('“kaldı”');
    expect(guess(iconv.encode(table('日本語の文章'), 'shift_jis')).note).toContain('“日”');
  });
});

describe('UTF-8 with a few damaged characters stays UTF-8', () => {
  const damaged = (rows: number) =>
    Buffer.concat([Buffer.from(table('Müller', rows)), iconv.encode('T9,2026-03-01,1,Müller\n', 'latin1')]);

  test('one line in another encoding in a file with two other words beyond ASCII', () => {
    const { encoding, note } = guess(damaged(2));
    expect(encoding).toBe('utf-8');
    expect(note).toContain('most characters beyond ASCII');
  });

  test('a file with as many damaged characters as valid ones is in another encoding', () => {
    expect(guess(damaged(1)).encoding).toBe('windows-1252');
  });

  test('texts of two bytes a character are not taken for damaged UTF-8', () => {
    for (const encoding of ['gb18030', 'shift_jis', 'euc-kr', 'big5'])
      expect(guess(iconv.encode(table('東京中文', 40), encoding)).encoding).not.toBe('utf-8');
  });
});

describe('characters of several bytes stay in their encoding', () => {
  const texts: [encoding: string, text: string][] = [
    ['shift_jis', 'お客様からの問い合わせ、東京都渋谷区で配達が遅れています'],
    ['euc-jp', 'お客様からの問い合わせ、東京都渋谷区で配達が遅れています'],
    ['gb18030', '价格太贵了，上海北京的客户反映配送很慢'],
    ['big5', '台北高雄的客戶，反映配送很慢'],
    ['euc-kr', '안녕하세요 고객님 배송이 늦어지고 있습니다'],
  ];

  test.each(texts)('%s with one damaged character', (encoding, text) => {
    const bytes = iconv.encode(table(text, 10), encoding);
    const damaged = bytes.findIndex((byte) => byte >= 0x80) + 1;
    bytes[damaged] = 0x20;
    expect(guess(bytes).encoding).toBe(encoding);
  });

  test.each(texts)('%s in a piece of a file that begins within a character', (encoding, text) => {
    const bytes = iconv.encode(table(text, 10), encoding);
    const piece = bytes.subarray(bytes.findIndex((byte) => byte >= 0x80) + 1);
    expect(guessEncoding('cards.csv', Buffer.from(HEADER), [piece], false).encoding).toBe(encoding);
  });
});

test.each([
  ['gb18030', 'id,名称\n1,中文\n'],
  ['gb18030', '姓名\n张三\n'],
  ['big5', '姓名\n王小明\n'],
  ['big5', '編號,問題\n1,這是什麼？\n'],
  ['shift_jis', '名前\n田中さん\n'],
  ['euc-kr', '이름,질문\n1,안녕\n'],
  ['windows-1252', 'id,price\n1,££\n2,¥¥\n'],
  ['windows-1252', 'id,size\n1,½\n2,¼¾\n'],
  ['windows-1252', 'name|v\nÀ|1\nÄ|2\nÃ|3\n'],
  ['windows-1252', 'ID;DESCRIÇÃO;SITUAÇÃO\n1;Carro;OK\n'],
  ['windows-1252', 'fruit\nÄpfel\nÄrger\n'],
  ['windows-1251', 'номер\nЧто\n'],
])('a file of a few letters in %s is read: %j', (encoding, text) => {
  const bytes = iconv.encode(text, encoding);
  expect(iconv.decode(bytes, guess(bytes).encoding)).toBe(text);
});
