package data

import (
	"io"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// pythonWord is the word of Python that begins with a byte, and what the decoder reads in its place:
// Python writes numbers that JSON does not have.
func pythonWord(c byte) (word, read string) {
	switch c {
	case 'N':
		return "NaN", "null"
	case 'I':
		return "Infinity", JSONInfinity
	}
	return "", ""
}

// JSONInfinity is what a JSON gives for Infinity: a number that is beyond all others, so that a reader can refuse it by its place.
const JSONInfinity = "9e9999"

// IsJSONInfinity reports whether a number stands for Infinity or -Infinity.
func IsJSONInfinity(t jsontext.Token) bool {
	return strings.TrimPrefix(t.String(), "-") == JSONInfinity
}

// JSON is a text as a JSON decoder reads it: with other words in place of those of Python, and
// with lines to look up.
type JSON struct {
	text *Text
	left int64 // bytes that may still be read

	in      []byte // a chunk of the text
	out     []byte // what the decoder reads
	read    int    // how much of it
	offset  int64  // behind out
	ends    []int64
	line    int // lines that ended before ends
	quoted  bool
	escaped bool
	word    string // that began, of Python
	instead string // what is read for it
	seen    int    // bytes of it
}

// NewJSON is the JSON of a text.
func NewJSON(t *Text) *JSON {
	return &JSON{text: t, left: math.MaxInt64 - 1, in: make([]byte, 1<<15)}
}

// Decoder decodes the text. It accepts an object that has a name twice, and characters that are not UTF-8: its user decides about them.
func (s *JSON) Decoder() *jsontext.Decoder {
	return jsontext.NewDecoder(s, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Limit bounds how many bytes are read; behind them there is an error.
func (s *JSON) Limit(n int64) { s.left = n }

// Behind says that the text begins behind some lines.
func (s *JSON) Behind(lines int) { s.line = lines }

// Record says that a record ends at an offset of the decoder; see Text.Record.
func (s *JSON) Record(offset int64) { s.text.Record(int(s.offset - offset)) }

// Read gives the decoder the text.
func (s *JSON) Read(p []byte) (int, error) {
	for s.read == len(s.out) {
		s.out, s.read = s.out[:0], 0
		n, err := s.text.Read(s.in[:min(int64(len(s.in)), s.left+1)])
		if s.left -= int64(n); s.left < 0 {
			return 0, ErrTooLarge
		}
		for _, c := range s.in[:n] {
			s.take(c)
		}
		if err == io.EOF && s.seen > 0 {
			s.emit(s.word[:s.seen])
			s.seen = 0
		}
		if err != nil && len(s.out) == 0 {
			return 0, err
		}
	}
	n := copy(p, s.out[s.read:])
	s.read += n
	return n, nil
}

// take appends one byte of the text to out, and what is read for a word of Python behind its last.
func (s *JSON) take(c byte) {
	if s.seen == 0 && !s.quoted {
		s.word, s.instead = pythonWord(c)
	}
	if s.seen > 0 || !s.quoted && s.word != "" {
		switch {
		case c != s.word[s.seen]:
			s.emit(s.word[:s.seen])
			s.seen = 0
		case s.seen == len(s.word)-1:
			s.emit(s.instead)
			s.seen = 0
			return
		default:
			s.seen++
			return
		}
	}
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = s.quoted
	case c == '"':
		s.quoted = !s.quoted
	}
	s.out = append(s.out, c)
	s.offset++
	if c == '\n' {
		s.ends = append(s.ends, s.offset)
	}
}

func (s *JSON) emit(text string) {
	s.out = append(s.out, text...)
	s.offset += int64(len(text))
}

// Line is the line, from 1, of an offset of the decoder that is behind those asked for before.
func (s *JSON) Line(offset int64) int {
	n, _ := slices.BinarySearch(s.ends, offset)
	s.ends = s.ends[n:]
	s.line += n
	return s.line + 1
}

// Sum is the SHA-256 of the text read so far, in hexadecimal.
func (s *JSON) Sum() string { return s.text.Sum() }
