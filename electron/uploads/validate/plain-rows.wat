;; Rows of delimited text as the JSON of events, 64 bytes of structure and 16 bytes of text a step. It takes rows as long
;; as they are plain and stops before the first row that is not; plain-rows.ts says which rows are plain, fills the
;; memory, and calls `run`. `node build/wat/write.ts` assembles this file.
;;
;; Memory, in bytes (plain-rows.ts has the same places):
;;   0    sign of the delimiter            4    sign of the quote (LF if there is none)
;;   8    cells of a row                   12   end of the table of columns
;;   16   end of the table of unsent columns
;;   20   head of every event              24   length of the head
;;   28   1 if the head has keys           32   1 if empty values are left out
;;   36   1 if `end` judges every row      40   length of the header; -1 if lines equal to it are no headers
;;   44   most bytes of a row              48   first eight bytes of the header, 56 their mask
;;   64   bytes that an event may need beyond those of its row
;;   68   table of bytes: 1 for delimiters, quotes, and bytes of cells without a value
;;   72   start of the current row         76   end of the current row      80   rows before it in this run
;;   84   events of this run               88   end of the rows of this run
;;   128  the powers of ten from 0 to 15, as doubles
;;   1024 table of columns, 48 bytes each: 0 kind, 4 place of its cell, 8 key with a comma in front, 12 its length,
;;        16 1 if numbers have a range, 20 most bytes of a null word, 24 table of first bytes of null words, 32 least
;;        and 40 greatest number
;;        Kinds: 0 text, 1 whole number, 2 decimal, 3 left to `cell`, 4 decimal without a point
;;   16384 table of unsent columns, 12 bytes each: place of the cell, count of values, first row with one or -1
;;   24576 cells of the current row, 8 bytes each: start, end
;;   131072 texts and tables that the tables point to
;;   262144 events, 16 bytes each: start and end of the row, rows before it, end of the JSON
(module
  (import "host" "memory" (memory 1))
  ;; Writes the value of a column between two places to a third one. Returns its end, or 0 if nothing is to be written.
  (import "host" "cell" (func $cell (param i32 i32 i32 i32) (result i32)))
  ;; Judges a row with so many values whose JSON ends at a place: 1 if it is an event.
  (import "host" "end" (func $end (param i32 i32) (result i32)))
  ;; Makes the memory reach so many bytes beyond a place.
  (import "host" "room" (func $room (param i32 i32)))

  ;; A bit for each of 64 bytes that is one of four signs.
  (func $signs (param $p i32) (param $d v128) (param $q v128) (param $lf v128) (param $cr v128) (result i64)
    (local $a v128)
    (local $b v128)
    (local $e v128)
    (local $f v128)
    (local.set $a (v128.load (local.get $p)))
    (local.set $b (v128.load offset=16 (local.get $p)))
    (local.set $e (v128.load offset=32 (local.get $p)))
    (local.set $f (v128.load offset=48 (local.get $p)))
    (i64.or
      (i64.or
        (i64.extend_i32_u (i8x16.bitmask (v128.or
          (v128.or (i8x16.eq (local.get $a) (local.get $d)) (i8x16.eq (local.get $a) (local.get $q)))
          (v128.or (i8x16.eq (local.get $a) (local.get $lf)) (i8x16.eq (local.get $a) (local.get $cr))))))
        (i64.shl (i64.extend_i32_u (i8x16.bitmask (v128.or
          (v128.or (i8x16.eq (local.get $b) (local.get $d)) (i8x16.eq (local.get $b) (local.get $q)))
          (v128.or (i8x16.eq (local.get $b) (local.get $lf)) (i8x16.eq (local.get $b) (local.get $cr))))))
          (i64.const 16)))
      (i64.or
        (i64.shl (i64.extend_i32_u (i8x16.bitmask (v128.or
          (v128.or (i8x16.eq (local.get $e) (local.get $d)) (i8x16.eq (local.get $e) (local.get $q)))
          (v128.or (i8x16.eq (local.get $e) (local.get $lf)) (i8x16.eq (local.get $e) (local.get $cr))))))
          (i64.const 32))
        (i64.shl (i64.extend_i32_u (i8x16.bitmask (v128.or
          (v128.or (i8x16.eq (local.get $f) (local.get $d)) (i8x16.eq (local.get $f) (local.get $q)))
          (v128.or (i8x16.eq (local.get $f) (local.get $lf)) (i8x16.eq (local.get $f) (local.get $cr))))))
          (i64.const 48)))))

  ;; Copies up to 15 bytes more than asked.
  (func $copy (param $from i32) (param $length i32) (param $to i32)
    (local $at i32)
    (loop $more
      (v128.store (i32.add (local.get $to) (local.get $at)) (v128.load (i32.add (local.get $from) (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $more (i32.lt_u (local.get $at) (local.get $length)))))

  ;; Writes a text of printable ASCII without signs that JSON escapes, with quotes. Returns its end, or 0.
  (func $text (param $s i32) (param $e i32) (param $to i32) (result i32)
    (local $v v128)
    (local $odd i32)
    (local $at i32)
    (local $left i32)
    (local.set $left (i32.sub (local.get $e) (local.get $s)))
    (if (i32.eq (i32.load8_u (local.get $s)) (i32.const 0x20)) (then (return (i32.const 0))))
    (if (i32.eq (i32.load8_u (i32.sub (local.get $e) (i32.const 1))) (i32.const 0x20))
      (then (return (i32.const 0))))
    (i32.store8 (local.get $to) (i32.const 0x22))
    (local.set $at (i32.add (local.get $to) (i32.const 1)))
    (loop $more
      (local.set $v (v128.load (local.get $s)))
      (local.set $odd (i8x16.bitmask (v128.or
        ;; Signed: bytes from 0x80 on are below a blank, too.
        (v128.or (i8x16.lt_s (local.get $v) (i8x16.splat (i32.const 0x20)))
                 (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x7f))))
        (v128.or (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x22)))
                 (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x5c)))))))
      (if (i32.lt_u (local.get $left) (i32.const 16))
        (then (local.set $odd (i32.and (local.get $odd)
          (i32.sub (i32.shl (i32.const 1) (local.get $left)) (i32.const 1))))))
      (if (local.get $odd) (then (return (i32.const 0))))
      (v128.store (local.get $at) (local.get $v))
      (if (i32.gt_u (local.get $left) (i32.const 16))
        (then
          (local.set $left (i32.sub (local.get $left) (i32.const 16)))
          (local.set $s (i32.add (local.get $s) (i32.const 16)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $more))))
    (local.set $at (i32.add (local.get $at) (local.get $left)))
    (i32.store8 (local.get $at) (i32.const 0x22))
    (i32.add (local.get $at) (i32.const 1)))

  ;; Writes a JSON number without an exponent of at most 32 bytes. Returns its end, or 0.
  (func $number (param $f i32) (param $s i32) (param $e i32) (param $to i32) (result i32)
    (local $length i32)
    (local $low v128)
    (local $high v128)
    (local $others i32)
    (local $first i32)
    (local $whole i32)
    (local $kind i32)
    (local $at i32)
    (local $sum i64)
    (local $size f64)
    (local.set $length (i32.sub (local.get $e) (local.get $s)))
    (if (i32.gt_u (local.get $length) (i32.const 32)) (then (return (i32.const 0))))
    (local.set $kind (i32.load (local.get $f)))
    (local.set $low (v128.load (local.get $s)))
    (local.set $others (i8x16.bitmask
      (i8x16.gt_u (i8x16.sub (local.get $low) (i8x16.splat (i32.const 0x30))) (i8x16.splat (i32.const 9)))))
    (if (i32.gt_u (local.get $length) (i32.const 16))
      (then
        (local.set $high (v128.load offset=16 (local.get $s)))
        (local.set $others (i32.or (local.get $others) (i32.shl (i8x16.bitmask
          (i8x16.gt_u (i8x16.sub (local.get $high) (i8x16.splat (i32.const 0x30))) (i8x16.splat (i32.const 9))))
          (i32.const 16))))
        (v128.store offset=16 (local.get $to) (local.get $high))))
    ;; A bit for each byte of the value that is no digit.
    (local.set $others (i32.and (local.get $others)
      (i32.shr_u (i32.const -1) (i32.sub (i32.const 32) (local.get $length)))))
    (if (i32.and (local.get $others) (i32.const 1))
      (then
        (if (i32.ne (i32.load8_u (local.get $s)) (i32.const 0x2d)) (then (return (i32.const 0))))
        (local.set $first (i32.const 1))
        (local.set $others (i32.and (local.get $others) (i32.const -2)))))
    (local.set $whole (local.get $length))
    (if (local.get $others)
      (then
        (if (i32.ne (local.get $kind) (i32.const 2)) (then (return (i32.const 0))))
        (local.set $whole (i32.ctz (local.get $others)))
        (if (i32.ne (i32.load8_u (i32.add (local.get $s) (local.get $whole))) (i32.const 0x2e))
          (then (return (i32.const 0))))
        (if (i32.ne (i32.popcnt (local.get $others)) (i32.const 1)) (then (return (i32.const 0))))
        (if (i32.eq (i32.add (local.get $whole) (i32.const 1)) (local.get $length))
          (then (return (i32.const 0))))))
    (if (i32.le_u (local.get $whole) (local.get $first)) (then (return (i32.const 0))))
    (if (i32.eq (i32.load8_u (i32.add (local.get $s) (local.get $first))) (i32.const 0x30))
      (then
        (if (i32.gt_u (local.get $whole) (i32.add (local.get $first) (i32.const 1)))
          (then (return (i32.const 0))))
        ;; -0 is no whole number.
        (if (i32.and (i32.eq (local.get $kind) (i32.const 1)) (local.get $first)) (then (return (i32.const 0))))))
    (if (i32.load offset=16 (local.get $f))
      (then
        (local.set $at (local.get $first))
        (loop $digits
          (if (i32.ne (local.get $at) (local.get $whole))
            (then (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 10)) (i64.extend_i32_u
              (i32.sub (i32.load8_u (i32.add (local.get $s) (local.get $at))) (i32.const 0x30)))))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br_if $digits (i32.lt_u (local.get $at) (local.get $length))))
        ;; The digits after the point.
        (local.set $at (i32.sub (i32.sub (local.get $length) (local.get $whole)) (i32.ne (local.get $length) (local.get $whole))))
        ;; More than 15 digits are not exact.
        (if (i32.gt_u (i32.add (i32.sub (local.get $whole) (local.get $first)) (local.get $at)) (i32.const 15))
          (then (return (i32.const 0))))
        (local.set $size (f64.div (f64.convert_i64_u (local.get $sum))
          (f64.load offset=128 (i32.shl (local.get $at) (i32.const 3)))))
        (if (local.get $first) (then (local.set $size (f64.neg (local.get $size)))))
        (if (f64.lt (local.get $size) (f64.load offset=32 (local.get $f))) (then (return (i32.const 0))))
        (if (f64.gt (local.get $size) (f64.load offset=40 (local.get $f))) (then (return (i32.const 0))))))
    (v128.store (local.get $to) (local.get $low))
    (i32.add (local.get $to) (local.get $length)))

  ;; Takes the rows between two places, at most so many, and writes their events to a third place. Returns the end of
  ;; the events.
  (func $run (export "run") (param $at i32) (param $to i32) (param $out i32) (param $most i32) (result i32)
    (local $d v128)
    (local $q v128)
    (local $lf v128)
    (local $cr v128)
    (local $delimiter i32)
    (local $quote i32)
    (local $block i32)
    (local $mask i64)
    (local $pos i32)
    (local $sign i32)
    ;; 1 inside quotes, 2 after the closing quote.
    (local $state i32)
    (local $closed i32)
    (local $start i32)
    (local $s i32)
    (local $e i32)
    (local $cell i32)
    (local $cellsEnd i32)
    (local $rowEnd i32)
    (local $f i32)
    (local $fieldsEnd i32)
    (local $index i32)
    (local $hasKeys i32)
    (local $values i32)
    (local $isJudged i32)
    (local $outRow i32)
    (local $key i32)
    (local $value i32)
    (local $rows i32)
    (local $events i32)
    (local $record i32)
    (local $need i32)
    (local.set $delimiter (i32.load (i32.const 0)))
    (local.set $quote (i32.load offset=4 (i32.const 0)))
    (local.set $d (i8x16.splat (local.get $delimiter)))
    (local.set $q (i8x16.splat (local.get $quote)))
    (local.set $lf (i8x16.splat (i32.const 10)))
    (local.set $cr (i8x16.splat (i32.const 13)))
    (local.set $cellsEnd (i32.add (i32.const 24576) (i32.shl (i32.load offset=8 (i32.const 0)) (i32.const 3))))
    (local.set $fieldsEnd (i32.load offset=12 (i32.const 0)))
    (local.set $record (i32.const 262144))
    (local.set $block (local.get $at))
    (block $done
      (br_if $done (i32.ge_u (local.get $at) (local.get $to)))
      (local.set $mask (call $signs (local.get $block) (local.get $d) (local.get $q) (local.get $lf) (local.get $cr)))
      (loop $row
        (br_if $done (i32.ge_u (local.get $at) (local.get $to)))
        (br_if $done (i32.ge_u (local.get $rows) (local.get $most)))
        ;; A blank line is no row.
        (local.set $sign (i32.load8_u (local.get $at)))
        (br_if $done (i32.or (i32.eq (local.get $sign) (i32.const 10)) (i32.eq (local.get $sign) (i32.const 13))))
        (local.set $cell (i32.const 24576))
        (local.set $start (local.get $at))
        (local.set $state (i32.const 0))
        (block $scanned
          (loop $next
            (if (i64.eqz (local.get $mask))
              (then
                (local.set $block (i32.add (local.get $block) (i32.const 64)))
                (br_if $done (i32.ge_u (local.get $block) (local.get $to)))
                (local.set $mask
                  (call $signs (local.get $block) (local.get $d) (local.get $q) (local.get $lf) (local.get $cr)))
                (br $next)))
            (local.set $pos (i32.add (local.get $block) (i32.wrap_i64 (i64.ctz (local.get $mask)))))
            (local.set $mask (i64.and (local.get $mask) (i64.sub (local.get $mask) (i64.const 1))))
            (br_if $done (i32.ge_u (local.get $pos) (local.get $to)))
            (local.set $sign (i32.load8_u (local.get $pos)))
            (local.set $s (local.get $start))
            (local.set $e (local.get $pos))
            (if (local.get $state)
              (then
                (if (i32.eq (local.get $state) (i32.const 1))
                  (then
                    (if (i32.eq (local.get $sign) (local.get $quote))
                      (then (local.set $state (i32.const 2)) (local.set $closed (local.get $pos)) (br $next)))
                    ;; A cell of several lines.
                    (br_if $done (i32.eq (local.get $sign) (i32.const 10)))
                    (br_if $done (i32.eq (local.get $sign) (i32.const 13)))
                    (br $next)))
                ;; Neither a doubled quote nor other text may follow a closing quote.
                (br_if $done (i32.ne (local.get $pos) (i32.add (local.get $closed) (i32.const 1))))
                (br_if $done (i32.eq (local.get $sign) (local.get $quote)))
                (local.set $state (i32.const 0))
                (local.set $s (i32.add (local.get $start) (i32.const 1)))
                (local.set $e (local.get $closed)))
              (else
                (if (i32.and (i32.eq (local.get $sign) (local.get $quote)) (i32.ne (local.get $sign) (i32.const 10)))
                  (then
                    (br_if $done (i32.ne (local.get $pos) (local.get $start)))
                    (local.set $state (i32.const 1))
                    (br $next)))))
            ;; A cell too many.
            (br_if $done (i32.eq (local.get $cell) (local.get $cellsEnd)))
            (i32.store (local.get $cell) (local.get $s))
            (i32.store offset=4 (local.get $cell) (local.get $e))
            (local.set $cell (i32.add (local.get $cell) (i32.const 8)))
            (local.set $start (i32.add (local.get $pos) (i32.const 1)))
            (br_if $next (i32.eq (local.get $sign) (local.get $delimiter)))))
        (br_if $done (i32.ne (local.get $cell) (local.get $cellsEnd)))
        (local.set $rowEnd (i32.add (local.get $pos) (i32.const 1)))
        (if (i32.eq (local.get $sign) (i32.const 13))
          (then
            ;; An LF may follow.
            (br_if $done (i32.ge_u (local.get $rowEnd) (local.get $to)))
            (if (i32.eq (i32.load8_u (local.get $rowEnd)) (i32.const 10))
              (then
                (local.set $rowEnd (i32.add (local.get $rowEnd) (i32.const 1)))
                (if (i64.eqz (local.get $mask))
                  (then
                    (local.set $block (i32.add (local.get $block) (i32.const 64)))
                    (local.set $mask
                      (call $signs (local.get $block) (local.get $d) (local.get $q) (local.get $lf) (local.get $cr)))))
                (local.set $mask (i64.and (local.get $mask) (i64.sub (local.get $mask) (i64.const 1))))))))
        (br_if $done (i32.gt_u (i32.sub (local.get $rowEnd) (local.get $at)) (i32.load offset=44 (i32.const 0))))
        ;; A row without any value has no other bytes than those of the table.
        (local.set $index (local.get $at))
        (loop $blank
          (br_if $done (i32.and
            (i32.eq (local.get $index) (local.get $pos))
            (i32.gt_u (i32.load offset=8 (i32.const 0)) (i32.const 1))))
          (if (i32.lt_u (local.get $index) (local.get $pos))
            (then
              (local.set $s (i32.load8_u (local.get $index)))
              (local.set $index (i32.add (local.get $index) (i32.const 1)))
              (br_if $blank (i32.load8_u (i32.add (i32.load offset=68 (i32.const 0)) (local.get $s)))))))
        ;; Maybe the header again, in files that were joined.
        (local.set $index (i32.load offset=40 (i32.const 0)))
        (if (i32.ne (local.get $index) (i32.const -1))
          (then
            (local.set $index (i32.sub (i32.sub (local.get $pos) (local.get $at)) (local.get $index)))
            (if (i32.eqz (local.get $index))
              (then (br_if $done (i64.eq
                (i64.and (i64.load (local.get $at)) (i64.load offset=56 (i32.const 0)))
                (i64.load offset=48 (i32.const 0))))))
            (if (i32.eq (local.get $index) (i32.const 3))
              (then (br_if $done (i32.eq (i32.load8_u (local.get $at)) (i32.const 0xef)))))))
        (i32.store offset=72 (i32.const 0) (local.get $at))
        (i32.store offset=76 (i32.const 0) (local.get $rowEnd))
        (i32.store offset=80 (i32.const 0) (local.get $rows))
        (i32.store offset=84 (i32.const 0) (local.get $events))
        (local.set $need (i32.add (i32.sub (local.get $rowEnd) (local.get $at)) (i32.load offset=64 (i32.const 0))))
        (if (i32.gt_u (i32.add (local.get $out) (local.get $need)) (i32.shl (memory.size) (i32.const 16)))
          (then (call $room (local.get $out) (local.get $need))))
        (local.set $outRow (local.get $out))
        ;; Unsent columns.
        (local.set $f (i32.const 16384))
        (block $counted
          (loop $unsent
            (br_if $counted (i32.ge_u (local.get $f) (i32.load offset=16 (i32.const 0))))
            (local.set $cell (i32.load (local.get $f)))
            (if (i32.ne (i32.load (local.get $cell)) (i32.load offset=4 (local.get $cell)))
              (then
                (i32.store offset=4 (local.get $f) (i32.add (i32.load offset=4 (local.get $f)) (i32.const 1)))
                (if (i32.eq (i32.load offset=8 (local.get $f)) (i32.const -1))
                  (then (i32.store offset=8 (local.get $f) (local.get $rows))))))
            (local.set $f (i32.add (local.get $f) (i32.const 12)))
            (br $unsent)))
        (call $copy (i32.load offset=20 (i32.const 0)) (i32.load offset=24 (i32.const 0)) (local.get $out))
        (local.set $out (i32.add (local.get $out) (i32.load offset=24 (i32.const 0))))
        (local.set $hasKeys (i32.load offset=28 (i32.const 0)))
        (local.set $isJudged (i32.load offset=36 (i32.const 0)))
        (local.set $values (i32.const 0))
        (local.set $index (i32.const 0))
        (local.set $f (i32.const 1024))
        (block $encoded
          (loop $field
            (br_if $encoded (i32.ge_u (local.get $f) (local.get $fieldsEnd)))
            (local.set $cell (i32.load offset=4 (local.get $f)))
            (local.set $s (i32.load (local.get $cell)))
            (local.set $e (i32.load offset=4 (local.get $cell)))
            (block $written
              (br_if $written
                (i32.and (i32.eq (local.get $s) (local.get $e)) (i32.load offset=32 (i32.const 0))))
              ;; Without its comma in front of the first key.
              (local.set $key (i32.eqz (local.get $hasKeys)))
              (call $copy
                (i32.add (i32.load offset=8 (local.get $f)) (local.get $key))
                (i32.sub (i32.load offset=12 (local.get $f)) (local.get $key))
                (local.get $out))
              (local.set $value
                (i32.add (local.get $out) (i32.sub (i32.load offset=12 (local.get $f)) (local.get $key))))
              (if (i32.eq (local.get $s) (local.get $e))
                (then
                  ;; null
                  (i32.store (local.get $value) (i32.const 0x6c6c756e))
                  (local.set $value (i32.add (local.get $value) (i32.const 4))))
                (else
                  (local.set $key (i32.const 0))
                  (local.set $sign (i32.load (local.get $f)))
                  (if (i32.eqz (local.get $sign))
                    (then
                      (if (i32.gt_u (i32.sub (local.get $e) (local.get $s)) (i32.load offset=20 (local.get $f)))
                        (then (local.set $key (call $text (local.get $s) (local.get $e) (local.get $value))))
                        (else
                          (if (i32.eqz (i32.load8_u
                            (i32.add (i32.load offset=24 (local.get $f)) (i32.load8_u (local.get $s)))))
                            (then (local.set $key (call $text (local.get $s) (local.get $e) (local.get $value))))))))
                    (else
                      (if (i32.ne (local.get $sign) (i32.const 3))
                        (then (local.set $key
                          (call $number (local.get $f) (local.get $s) (local.get $e) (local.get $value)))))))
                  (if (i32.eqz (local.get $key))
                    (then
                      (local.set $isJudged (i32.const 1))
                      (local.set $key
                        (call $cell (local.get $index) (local.get $s) (local.get $e) (local.get $value)))
                      (br_if $written (i32.eqz (local.get $key)))
                      (if (i32.gt_u (i32.add (local.get $key) (local.get $need)) (i32.shl (memory.size) (i32.const 16)))
                        (then (call $room (local.get $key) (local.get $need))))))
                  (local.set $value (local.get $key))))
              (local.set $out (local.get $value))
              (local.set $hasKeys (i32.const 1))
              (local.set $values (i32.add (local.get $values) (i32.const 1))))
            (local.set $index (i32.add (local.get $index) (i32.const 1)))
            (local.set $f (i32.add (local.get $f) (i32.const 48)))
            (br $field)))
        (i32.store8 (local.get $out) (i32.const 0x7d))
        (local.set $out (i32.add (local.get $out) (i32.const 1)))
        (local.set $rows (i32.add (local.get $rows) (i32.const 1)))
        (block $bad
          (if (i32.or (local.get $isJudged) (i32.eqz (local.get $values)))
            (then
              (if (i32.eqz (call $end (local.get $out) (local.get $values)))
                (then (local.set $out (local.get $outRow)) (br $bad)))))
          (i32.store8 (local.get $out) (i32.const 0x2c))
          (i32.store (local.get $record) (local.get $at))
          (i32.store offset=4 (local.get $record) (local.get $rowEnd))
          (i32.store offset=8 (local.get $record) (i32.sub (local.get $rows) (i32.const 1)))
          (i32.store offset=12 (local.get $record) (local.get $out))
          (local.set $record (i32.add (local.get $record) (i32.const 16)))
          (local.set $events (i32.add (local.get $events) (i32.const 1)))
          (local.set $out (i32.add (local.get $out) (i32.const 1))))
        (local.set $at (local.get $rowEnd))
        (br $row)))
    (i32.store offset=80 (i32.const 0) (local.get $rows))
    (i32.store offset=84 (i32.const 0) (local.get $events))
    (i32.store offset=88 (i32.const 0) (local.get $at))
    (local.get $out)))
