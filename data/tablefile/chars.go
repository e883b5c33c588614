package tablefile

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/ehgnn/ehgnn/data"
)

// encoding is the encoding of characters that are not ASCII: UTF-8 or Windows-1252. The first line
// with such characters decides.
type encoding struct {
	utf8    int // first line with such characters in UTF-8, 0 for none
	windows int // first line in Windows-1252, 0 for none
}

// plain reports whether a line has only ASCII characters and no zero byte.
func plain(line []byte) bool {
	const low, high = 0x0101010101010101, 0x8080808080808080
	for ; len(line) >= 8; line = line[8:] {
		if x := binary.LittleEndian.Uint64(line); ((x-low)|x)&high != 0 {
			return false
		}
	}
	for _, c := range line {
		if c-1 >= utf8.RuneSelf-1 {
			return false
		}
	}
	return true
}

// decode converts a line that is not plain to UTF-8.
func (e *encoding) decode(line []byte, name string, number int) ([]byte, error) {
	fail := func(i int, format string, args ...any) ([]byte, error) {
		args = append([]any{utf8.RuneCount(line[:i]) + 1}, args...)
		return nil, &data.ParseError{File: name, Line: number, Msg: fmt.Sprintf("character %d "+format, args...)}
	}
	bad, wide := -1, false // first byte that is not UTF-8, and a valid multi-byte character before it
	for i := 0; i < len(line) && bad < 0; {
		r, n := utf8.DecodeRune(line[i:])
		switch {
		case r == 0:
			return fail(i, "is a zero byte, expected text; the file is damaged or is not text")
		case r == utf8.RuneError && n == 1:
			bad = i
		case n > 1:
			wide = true
		}
		i += n
	}
	switch {
	case bad < 0 && !wide:
		return line, nil
	case bad < 0 && e.windows == 0:
		if e.utf8 == 0 {
			e.utf8 = number
		}
		return line, nil
	case bad < 0:
		return fail(0, "and the characters after it are UTF-8, but line %d is not; convert the file to UTF-8", e.windows)
	case wide || e.utf8 > 0:
		first := e.utf8
		if first == 0 {
			first = number
		}
		return fail(bad, "is not UTF-8, but line %d has characters in UTF-8; the file is damaged, or parts of it have another encoding: convert it to UTF-8", first)
	}
	if i := tooWide(line); i >= 0 {
		return fail(i, "and the characters after it are not UTF-8, and too many in a row for Windows-1252 (Latin-1); "+convertText)
	}
	if e.windows == 0 {
		e.windows = number
	}
	out, err := charmap.Windows1252.NewDecoder().Bytes(line)
	if err != nil {
		return nil, &data.ParseError{File: name, Line: number, Msg: "cannot be read as Windows-1252", Err: err}
	}
	i := 0
	for rest := out; len(rest) > 0; i++ {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError || r >= 0x80 && r < 0xa0 {
			return fail(i, "is neither UTF-8 nor Windows-1252; "+convertText)
		}
		rest = rest[n:]
	}
	return out, nil
}

// tooWide is the index of four consecutive bytes that are not ASCII, the last two of them different; -1 if there are
// none. Words in the languages of Windows-1252 have at most three such letters in a row. Cyrillic and East Asian text
// in other encodings has more.
func tooWide(line []byte) int {
	run := 0
	for i, c := range line {
		if c < utf8.RuneSelf || c == 0xa0 { // 0xa0 is a blank
			run = 0
			continue
		}
		if run++; run == 4 && c != line[i-1] {
			return i - 3
		}
	}
	return -1
}

// convertText is the hint for a text in another encoding.
const convertText = "convert the file to UTF-8: iconv -f ENCODING -t UTF-8 FILE > NEW, where ENCODING is, for example, SHIFT_JIS, GBK or CP1251"

// note says that the text is not UTF-8.
func (e *encoding) note() string {
	if e.windows == 0 {
		return ""
	}
	return fmt.Sprintf("the text is not UTF-8 from line %d on; it was read as Windows-1252 (Latin-1); if letters are wrong, "+convertText, e.windows)
}
