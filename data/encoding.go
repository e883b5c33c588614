package data

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// headOfText is the number of bytes at the start of a text that may be read to find its encoding.
const headOfText = 4096

// decode finds the encoding of the text from its first bytes. It waits for no more bytes than it
// needs, because a pipe may have no more.
func (t *Text) decode() error {
	head, err := t.hashed.Peek(3)
	if len(head) == 0 && err != nil && err != io.EOF {
		return err
	}
	head, _ = t.hashed.Peek(t.hashed.Buffered())
	if bytes.IndexByte(head, 0) >= 0 { // UTF-16, or not text
		head, _ = t.hashed.Peek(headOfText)
	}
	mark := 0
	t.decoded = t.hashed
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		mark = 3
	case bytes.HasPrefix(head, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(head, []byte("\x00\x00\xfe\xff")):
		return errors.New("the text is UTF-32, expected UTF-8 or UTF-16")
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		mark, t.decoded = 2, &wideText{r: t.hashed, order: binary.LittleEndian}
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		mark, t.decoded = 2, &wideText{r: t.hashed, order: binary.BigEndian}
	default:
		if order := wideOrder(head); order != nil {
			t.decoded = &wideText{r: t.hashed, order: order}
		}
	}
	_, err = t.hashed.Discard(mark)
	return err
}

// wideOrder returns the byte order of UTF-16 without a byte order mark, or nil for other texts. In
// most scripts, separators, digits and ends of lines have a zero byte on one side. Few characters
// have one on the other side.
func wideOrder(head []byte) binary.ByteOrder {
	var zeros [2]int // at even and at odd offsets
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	const least, noise = 4, 8 // at least one character in least has the zero byte; at most one in noise has one on the other side
	switch characters := len(head) / 2; {
	case characters == 0:
	case zeros[1]*least >= characters && zeros[0]*noise <= zeros[1]:
		return binary.LittleEndian
	case zeros[0]*least >= characters && zeros[1]*noise <= zeros[0]:
		return binary.BigEndian
	}
	return nil
}

// wideText reads UTF-16 as UTF-8.
type wideText struct {
	r     *bufio.Reader
	order binary.ByteOrder
	left  []byte // decoded but not read yet
	text  [headOfText]byte
}

func (w *wideText) Read(p []byte) (int, error) {
	if len(w.left) == 0 {
		if err := w.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, w.left)
	w.left = w.left[n:]
	return n, nil
}

// fill decodes at least one character. Characters before an error are returned first.
func (w *wideText) fill() error {
	w.left = w.text[:0]
	for cap(w.left)-len(w.left) >= utf8.UTFMax && (len(w.left) == 0 || w.r.Buffered() >= 4) {
		unit, err := w.unit()
		if err != nil {
			return err // nothing was decoded: the buffer has no complete character
		}
		r := rune(unit)
		if utf16.IsSurrogate(r) {
			second, err := w.unit()
			if err != nil && err != io.EOF {
				return err
			}
			if r = utf16.DecodeRune(r, rune(second)); err != nil || r == utf8.RuneError {
				return errors.New("the text is UTF-16, and half of a character is missing")
			}
		}
		w.left = utf8.AppendRune(w.left, r)
	}
	return nil
}

// unit reads two bytes.
func (w *wideText) unit() (uint16, error) {
	var b [2]byte
	n, err := io.ReadFull(w.r, b[:])
	if n == 1 && err == io.ErrUnexpectedEOF {
		return 0, errors.New("the text is UTF-16, and half of its last character is missing")
	}
	return w.order.Uint16(b[:]), err
}
