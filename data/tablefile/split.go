package tablefile

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/data"
)

// splitter splits separated text into records of values, like encoding/csv: a quoted value may
// contain separators, line breaks, and doubled quotation marks. It skips blank lines.
type splitter struct {
	buf   *bufio.Reader
	name  string // of the file, for errors
	comma byte
	line  int      // number of lines read
	chars encoding // of the lines
	// slashed says that a backslash escapes quotation marks in values, because a value continued after such a mark. slash
	// is the line of a value that ended at a quotation mark after a backslash; 0 for none.
	slashed bool
	slash   int

	// Of the last record:
	begin  int      // its line
	values []string // valid after the next record
	lines  []int    // of the values, if the record has several lines
	quoted bool     // its first value is quoted

	long    []byte // a line that does not fit into buf
	unquote []byte // values of a record, one after another
	ends    []int  // of the values in unquote
}

// next reads the next record; io.EOF after the last.
func (s *splitter) next() error {
	for {
		line, err := s.readLine()
		if err != nil {
			return err
		}
		if s.blank(line) {
			continue
		}
		s.begin, s.lines = s.line, s.lines[:0]
		if bytes.IndexByte(line, '"') >= 0 && s.comma != doubleColon {
			return s.splitQuoted(line)
		}
		s.quoted = false
		s.split(string(line))
		return nil
	}
}

// blank reports whether a line has only blanks.
func (s *splitter) blank(line []byte) bool {
	if len(line) > 0 && plainEnd(line[0]) {
		return false
	}
	return len(bytes.TrimSpace(line)) == 0 && (s.comma == blanks || bytes.IndexByte(line, s.comma) < 0)
}

// split splits a line without quotation marks.
func (s *splitter) split(line string) {
	s.values = s.values[:0]
	switch s.comma {
	case blanks:
		s.values = slices.AppendSeq(s.values, strings.FieldsSeq(line))
		return
	case doubleColon:
		s.values = slices.AppendSeq(s.values, strings.SplitSeq(line, "::"))
		return
	}
	for {
		i := strings.IndexByte(line, s.comma)
		if i < 0 {
			s.values = append(s.values, line)
			return
		}
		s.values = append(s.values, line[:i])
		line = line[i+1:]
	}
}

// splitQuoted splits a record with quotation marks, which may have several lines.
func (s *splitter) splitQuoted(line []byte) error {
	s.unquote, s.ends, s.quoted = s.unquote[:0], s.ends[:0], line[0] == '"'
	for rest, more := line, true; more; {
		if trimmed := bytes.TrimLeft(rest, " "); s.comma == blanks && len(trimmed) == 0 {
			break
		} else if s.comma == blanks || len(trimmed) > 0 && trimmed[0] == '"' {
			rest = trimmed
		}
		s.lines = append(s.lines, s.line)
		var err error
		start := len(s.unquote)
		switch {
		case bytes.HasPrefix(rest, forced): // ="007"
			line, rest, more, err = s.quotedValue(line, rest[len(forced):])
		case len(rest) > 0 && rest[0] == '"':
			line, rest, more, err = s.quotedValue(line, rest[1:])
			if v := s.unquote[start:]; bytes.HasPrefix(v, forced) && len(v) > len(forced) && v[len(v)-1] == '"' { // "=""007"""
				s.unquote = slices.Delete(s.unquote[:len(s.unquote)-1], start, start+len(forced))
			}
		default:
			rest, more, err = s.plainValue(line, rest)
		}
		if err != nil {
			return err
		}
		s.ends = append(s.ends, len(s.unquote))
	}
	text, start := string(s.unquote), 0
	s.values = s.values[:0]
	for _, end := range s.ends {
		s.values = append(s.values, text[start:end])
		start = end
	}
	if s.line == s.begin {
		s.lines = s.lines[:0]
	}
	return nil
}

// forced starts a quoted value that Excel must read as text.
var forced = []byte(`="`)

// plainValue reads an unquoted value from the rest of a line.
func (s *splitter) plainValue(line, rest []byte) (after []byte, more bool, err error) {
	value := rest
	i := bytes.IndexByte(rest, s.comma)
	if i >= 0 {
		value, after, more = rest[:i], rest[i+1:], true
	}
	if j := bytes.IndexByte(value, '"'); j >= 0 && s.comma != '\t' { // quotation marks in tab-separated text often do not quote
		return nil, false, s.failed(line, rest[j:], `a quotation mark inside a value that does not begin with one; `+quoteHelp)
	}
	s.unquote = append(s.unquote, value...)
	return after, more, nil
}

const quoteHelp = `put the whole value into quotation marks and write each one inside it twice, as "a 5"" pipe"`

// quotedValue reads a value after its first quotation mark. It may end on a later line.
func (s *splitter) quotedValue(line, rest []byte) (last, after []byte, more bool, err error) {
	opened, mark := s.line, s.character(line, rest)-1
	for {
		i := bytes.IndexByte(rest, '"')
		if i < 0 {
			s.unquote = append(append(s.unquote, rest...), '\n')
			if line, err = s.readLine(); err == io.EOF {
				return nil, nil, false, &data.ParseError{File: s.name, Line: opened,
					Msg: fmt.Sprintf("the quotation mark at character %d is never closed", mark)}
			} else if err != nil {
				return nil, nil, false, err
			}
			rest = line
			continue
		}
		s.unquote = append(s.unquote, rest[:i]...)
		odd := slashes(rest[:i])%2 == 1
		rest = rest[i+1:]
		if odd && s.slashed {
			s.unquote[len(s.unquote)-1] = '"'
			continue
		}
		if trimmed := bytes.TrimLeft(rest, " "); s.comma != blanks && (len(trimmed) == 0 || trimmed[0] == s.comma) {
			rest = trimmed
		}
		if more := len(rest) > 0 && rest[0] == s.comma; more || len(rest) == 0 {
			if odd && s.slash == 0 {
				s.slash = s.line
			}
			return line, rest[min(1, len(rest)):], more, nil
		}
		switch {
		case rest[0] == '"':
			s.unquote = append(s.unquote, '"')
			rest = rest[1:]
		case odd && s.slash == 0: // MySQL and Spark write so
			s.slashed = true
			s.unquote[len(s.unquote)-1] = '"'
		default:
			return nil, nil, false, s.failed(line, rest, `text behind the quotation mark that ends a value; `+quoteHelp)
		}
	}
}

// slashes is the number of backslashes at the end of a text.
func slashes(text []byte) int { return len(text) - len(bytes.TrimRight(text, `\`)) }

// character is the position in the line, from 1, of the rest of the line.
func (s *splitter) character(line, rest []byte) int {
	return utf8.RuneCount(line[:len(line)-len(rest)]) + 1
}

// failed is an error at the start of the rest of the line.
func (s *splitter) failed(line, rest []byte, msg string) error {
	return &data.ParseError{File: s.name, Line: s.line, Msg: fmt.Sprintf("character %d: %s", s.character(line, rest), msg)}
}

// endOfFile is the character that DOS programs write after the last line.
var endOfFile = []byte{0x1a}

// readLine returns the next line as UTF-8, without its end. It is valid until the next call.
func (s *splitter) readLine() ([]byte, error) {
	line, err := s.buf.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line, err = s.longLine(line)
	}
	if err == io.EOF {
		line = bytes.TrimSuffix(line, endOfFile)
	}
	if err != nil && (err != io.EOF || len(line) == 0) {
		if err != io.EOF {
			err = &data.ParseError{File: s.name, Line: s.line + 1, Msg: "cannot be read", Err: err}
		}
		return nil, err
	}
	s.line++
	if n := len(line) - 1; line[n] == '\n' {
		line = line[:n]
	}
	if n := len(line) - 1; n >= 0 && line[n] == '\r' {
		line = line[:n]
	}
	if plain(line) {
		return line, nil
	}
	return s.chars.decode(line, s.name, s.line)
}

// longLine reads the rest of a line, given its start. The text limits its length.
func (s *splitter) longLine(start []byte) ([]byte, error) {
	s.long = append(s.long[:0], start...)
	for {
		more, err := s.buf.ReadSlice('\n')
		s.long = append(s.long, more...)
		if err != bufio.ErrBufferFull {
			return s.long, err
		}
	}
}
