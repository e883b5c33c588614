//go:build linux

package main

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
)

// Words that parsers trip over.
var (
	numbers = []string{"-1", "0", "1", "2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775807", "9223372036854775808", "1e9", "1000000000",
		"99999999999999999999999999", "1e308", "1e309", "-1e400", "1e-400", "NaN", "nan", "Infinity", "-inf", "0x7f", "0b1", "1_000", "+5", "--5", "5-", "1.5", "1,5", "1.", ".5", "½", "٣", "", " ", "00012", "-0"}
	words = []string{"", "\x00", "\xff\xfe", "\xef\xbb\xbf", "\x1b[2J\x1b]0;x\x07", "\u202e", "\u2028", "\r", "'", "\"", "\\", "a\tb", "=1+1", "$HOME", "../../etc/passwd", "null", "None", "true", "{}", "[]", "é", "𝔊", "%s%n",
		"-", "--", "\x7f", "\u0085", "\v"}
)

// odd is an odd value: a number or a word, at times a long one.
func (t *trial) odd() string {
	switch t.IntN(10) {
	case 0, 1, 2, 3:
		return pick(t, numbers...)
	case 4:
		return strings.Repeat(pick(t, "9", "x", "\x00", "é", "-", "\x1b"), 1<<t.IntN(18))
	}
	return pick(t, words...)
}

// spoiled returns text with a few changes, such as damaged files and wrong programs make.
func (t *trial) spoiled(text []byte) []byte {
	if t.IntN(4) == 0 {
		return t.digits(text, 1+t.IntN(3)) // the least damage is the likeliest to be accepted
	}
	for range 1 + t.IntN(3) {
		text = textChanges[t.IntN(len(textChanges))](t, text)
		text = text[:min(len(text), maxInput)]
	}
	return text
}

// maxInput is the size, in bytes, up to which the bounds of time and memory are meant.
const maxInput = 8 << 20

// textChanges are the changes of spoiled.
var textChanges = []func(t *trial, text []byte) []byte{
	// A field becomes an odd one, at one place or many.
	func(t *trial, text []byte) []byte { return t.fields(text, 1) },
	func(t *trial, text []byte) []byte { return t.fields(text, 1) },
	func(t *trial, text []byte) []byte { return t.fields(text, 1+t.IntN(50)) },
	func(t *trial, text []byte) []byte {
		text = bytes.Clone(text)
		for range 1 + t.IntN(20) {
			if len(text) > 0 {
				text[t.IntN(len(text))] = byte(t.IntN(256))
			}
		}
		return text
	},
	// Digits become others: right in form, and maybe in meaning.
	func(t *trial, text []byte) []byte { return t.digits(text, 1) },
	func(t *trial, text []byte) []byte { return t.digits(text, 1+t.IntN(20)) },
	func(t *trial, text []byte) []byte { return text[:t.IntN(len(text)+1)] },
	func(t *trial, text []byte) []byte { return nil },
	func(t *trial, text []byte) []byte { return bytes.Repeat(text, 2+t.IntN(8)) },
	func(t *trial, text []byte) []byte {
		return bytes.ReplaceAll(text, []byte(pick(t, ",", "\n", " ", "0", "1", ".", "\"", ":")), []byte(pick(t, "", ";", "\r\n", "\r", "\t", "\x00", ",,", "\n\n", "-", "10")))
	},
	// A line is repeated, left out, moved, or very long.
	func(t *trial, text []byte) []byte {
		lines := bytes.SplitAfter(text, []byte("\n"))
		i := t.IntN(len(lines))
		switch t.IntN(4) {
		case 0:
			lines[i] = bytes.Repeat(lines[i], 1+t.IntN(1000))
		case 1:
			lines[i] = nil
		case 2:
			j := t.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]
		case 3:
			lines[i] = append(bytes.Repeat([]byte(pick(t, "1,", "x", "9", "[", "\x00")), 1<<t.IntN(21)), lines[i]...)
		}
		return bytes.Join(lines, nil)
	},
	// Something is put before or behind.
	func(t *trial, text []byte) []byte {
		more := []byte(t.odd())
		if t.IntN(2) == 0 {
			return append(more, text...)
		}
		return append(bytes.Clone(text), more...)
	},
	// UTF-16, as other programs save it.
	func(t *trial, text []byte) []byte {
		out := []byte{0xff, 0xfe}
		for _, b := range text {
			out = append(out, b, 0)
		}
		return out
	},
}

// fields replaces n fields, which separators set apart.
func (t *trial) fields(text []byte, n int) []byte {
	for range n {
		if len(text) == 0 {
			return []byte(t.odd())
		}
		const separators = ",\n \t:;[]{}\""
		i := t.IntN(len(text))
		from, to := bytes.LastIndexAny(text[:i], separators)+1, len(text)
		if j := bytes.IndexAny(text[i:], separators); j >= 0 {
			to = i + j
		}
		text = bytes.Join([][]byte{text[:from], []byte(t.odd()), text[max(from, to):]}, nil)
	}
	return text
}

// digits replaces n digits.
func (t *trial) digits(text []byte, n int) []byte {
	text = bytes.Clone(text)
	for range n {
		from := t.IntN(len(text) + 1)
		if i := bytes.IndexAny(text[from:], "0123456789"); i >= 0 {
			text[from+i] = byte('0' + t.IntN(10))
		}
	}
	return text
}

// nested is text that opens n times, and maybe closes.
func (t *trial) nested(opens, closes string, n int) string {
	text := strings.Repeat(opens, n)
	if t.IntN(2) == 0 {
		text += strings.Repeat(closes, n)
	}
	return text
}

// reads calls the program on hostile data: it may take or refuse them.
func (t *trial) reads(path string, more ...string) {
	codes := []int{exitOK, exitUsage}
	var args []string
	switch t.IntN(8) {
	case 0, 1, 2:
		args = []string{"data", "info", path}
		if t.IntN(3) == 0 {
			args = append(args, "--json")
		}
	case 3, 4, 5:
		args = []string{"train", path, "--out", "run", "--epochs", "1", "--hidden", "4", "--quiet"}
		codes = append(codes, exitFailed)
	case 6:
		args = []string{"data", "convert", path, "converted", "--to", pick(t, "tu", "csv", "parquet"), "--quiet"}
		codes = append(codes, exitFailed)
	case 7:
		run := t.trained(pick(t, "hyperdrop", "ehgnn-edge", "nodes", "node-link"))
		args = []string{pick(t, "predict", "evaluate", "embed"), run.dir + "/run", path, "--quiet"}
		codes = append(codes, exitFailed)
	}
	// predict says what is wrong with each document
	p := t.run(call{args: append(args, more...), codes: codes, talks: args[0] == "predict"})
	if p.refused() && exists(t.path("converted")) {
		p.finding("refused, but it has written converted")
	}
	t.leftovers()
}

func removeFile(path string) error {
	err := os.Remove(path)
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
