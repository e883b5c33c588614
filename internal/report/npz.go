package report

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"time"
	"unicode/utf8"
)

// npzPieces writes an archive of arrays, one for each column (numpy.savez). An array begins with the
// number of rows, so the rows are held until the end.
type npzPieces struct {
	w    io.Writer
	held []Column
}

func newNPZ(w io.Writer) pieces { return &npzPieces{w: w} }

func (p *npzPieces) piece(t *Table, rows int) error {
	if p.held == nil {
		for _, c := range t.Columns {
			p.held = append(p.held, Column{Name: c.Name, kind: c.kind, width: c.width})
		}
	}
	for i := range p.held {
		p.held[i].extend(&t.Columns[i])
	}
	return nil
}

func (p *npzPieces) end() error {
	z := zip.NewWriter(p.w)
	for i := range p.held {
		c := &p.held[i]
		// The time is the earliest that zip supports, so that equal tables make equal files.
		w, err := z.CreateHeader(&zip.FileHeader{Name: c.Name + npyExt, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			return err
		}
		if err := c.writeArray(w); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	return z.Close()
}

// writeArray writes a column as an array: whole numbers as <i8, numbers as <f4 or <f8, texts as <U
// with the length of the longest.
func (c *Column) writeArray(w io.Writer) error {
	rows := c.rows()
	switch c.kind {
	case kindInts:
		if err := writeNPYHeader(w, "<i8", rows, 0); err != nil {
			return err
		}
		return writeNumbers(w, c.ints)
	case kindCells:
		if err := writeNPYHeader(w, "<f8", rows, 0); err != nil {
			return err
		}
		return writeNumbers(w, c.numbers)
	case kindStrings:
		return writeTexts(w, c.strings)
	}
	return writeNPY(w, c, rows)
}

// mostTextArray limits the bytes of an array of texts, in which every row takes the space of the longest text.
const mostTextArray = 1 << 30

// writeTexts writes texts in numpy's form: UTF-32, padded to the longest.
func writeTexts(w io.Writer, texts []string) error {
	longest := 1
	for _, t := range texts {
		longest = max(longest, utf8.RuneCountInString(t))
	}
	if 4*longest*len(texts) > mostTextArray {
		return fmt.Errorf("texts of up to %d letters take %d bytes each in .npz; .parquet, .csv and .jsonl hold them", longest, 4*longest)
	}
	if err := writeNPYHeader(w, fmt.Sprintf("<U%d", longest), len(texts), 0); err != nil {
		return err
	}
	row := make([]byte, 4*longest)
	for _, t := range texts {
		clear(row)
		at := 0
		for _, r := range t {
			binary.LittleEndian.PutUint32(row[at:], uint32(r))
			at += 4
		}
		if _, err := w.Write(row); err != nil {
			return err
		}
	}
	return nil
}
