package data

import (
	"io"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// pythonWord returns the word that Python writes for a number that JSON does not have, if it begins
// with c, and the JSON that the decoder reads instead.
func pythonWord(c byte) (word, read string) {
	switch c {
	case 'N':
		return "NaN", "null"
	case 'I':
		return "Infinity", JSONInfinity
	}
	return "", ""
}

// JSONInfinity replaces Infinity in the text of JSON. It is a number too large for a float64, so
// that a reader can refuse it and say where it is.
const JSONInfinity = "9e9999"

// IsJSONInfinity reports whether a number was Infinity or -Infinity in the text.
func IsJSONInfinity(t jsontext.Token) bool {
	return strings.TrimPrefix(t.String(), "-") == JSONInfinity
}

// JSON reads a text for a JSON decoder. It replaces NaN and Infinity, which Python writes, and
// finds the line of an offset.
type JSON struct {
	text *Text
	left int64 // bytes that may still be read

	in      []byte // a chunk of the text
	out     []byte // the text for the decoder
	read    int    // how much of out was read
	offset  int64  // of the end of out
	ends    []int64
	line    int // lines that ended before ends
	quoted  bool
	escaped bool
	word    string // a word of Python that has begun
	instead string // its replacement
	seen    int    // bytes of word that were read
}

// NewJSON returns a reader of t.
func NewJSON(t *Text) *JSON {
	return &JSON{text: t, left: math.MaxInt64 - 1, in: make([]byte, 1<<15)}
}

// Decoder returns a decoder of the text. It accepts repeated names in an object and invalid UTF-8; the caller checks them.
func (s *JSON) Decoder() *jsontext.Decoder {
	return jsontext.NewDecoder(s, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Limit sets the number of bytes after which Read fails with ErrTooLarge.
func (s *JSON) Limit(n int64) { s.left = n }

// Behind sets the number of lines in the file before the text.
func (s *JSON) Behind(lines int) { s.line = lines }

// Record marks the end of a record at an offset of the decoder; see Text.Record.
func (s *JSON) Record(offset int64) { s.text.Record(int(s.offset - offset)) }

// Read returns the text for the decoder.
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

// take appends one byte of the text to out. After the last byte of a Python word it appends the
// replacement.
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

// Line returns the line of a decoder offset, counted from 1. Offsets must not decrease from call to
// call.
func (s *JSON) Line(offset int64) int {
	n, _ := slices.BinarySearch(s.ends, offset)
	s.ends = s.ends[n:]
	s.line += n
	return s.line + 1
}

// Sum is the SHA-256 of the text read so far, in hexadecimal.
func (s *JSON) Sum() string { return s.text.Sum() }
