package parquet

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/ehgnn/ehgnn/data/tablefile"
)

// pageHeader has the used fields of a page header.
type pageHeader struct {
	size     int64 // of the header
	kind     int64
	unpacked int64
	packed   int64
	crc      int64
	hasCRC   bool
	values   int64
	encoding int64
}

// Kinds of pages.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

// Encodings whose decoders allocate a slice with the length in the page header.
const (
	deltaLengthByteArray = 6
	deltaByteArray       = 7
)

// maxPageHeader is the largest size of a page header, whose statistics contain texts.
const maxPageHeader = 16 << 20

// pageWalk checks the pages of a column chunk before they are decoded: their checksums, which are
// optional, and that sizes for which memory is allocated fit the data.
type pageWalk struct {
	at     *io.SectionReader
	allows func(bytes int64) error
	buf    []byte
	pack   []byte // of the bodies with a checksum
}

func newPageWalk(t *tablefile.TypedFile) pageWalk { return pageWalk{at: t.Section(), allows: t.Allows} }

var errPages = errors.New("the header of a page is damaged")

// group checks the pages of some columns of a row group; all if columns is nil.
func (w *pageWalk) group(g *metadata.RowGroupMetaData, columns []int) error {
	for i := range g.NumColumns() {
		if columns != nil && !slices.Contains(columns, i) {
			continue
		}
		chunk, err := g.ColumnChunk(i)
		if err != nil {
			return err
		}
		if err := w.chunk(chunk, g.Schema.Column(i).MaxRepetitionLevel() == 0, g.NumRows()); err != nil {
			return fmt.Errorf("column %q: %w", chunk.PathInSchema(), err)
		}
	}
	return nil
}

// chunk checks the pages of one column of a group. A flat column has as many values as the group
// has rows.
func (w *pageWalk) chunk(c *metadata.ColumnChunkMetaData, flat bool, rows int64) error {
	at, left := c.DataPageOffset(), c.TotalCompressedSize()
	if d := c.DictionaryPageOffset(); c.HasDictionaryPage() && d > 0 && d < at {
		at = d
	}
	if at < 0 || left < 0 || at > w.at.Size() || left > w.at.Size()-at || c.NumValues() < 0 || flat && c.NumValues() != rows {
		return errors.New("its place in the file is damaged")
	}
	for values := int64(0); values < c.NumValues(); {
		h, err := w.header(at, w.at.Size()-at)
		if err != nil {
			return err
		}
		if err := w.page(h, at+h.size); err != nil {
			return err
		}
		at += h.size + h.packed
		if h.kind != dictionaryPage {
			values += h.values
		}
		if values > c.NumValues() {
			return errPages
		}
	}
	return nil
}

// page checks one page, whose body starts at an offset.
func (w *pageWalk) page(h pageHeader, at int64) error {
	switch {
	case h.packed < 0 || h.unpacked < 0 || h.values < 0 || h.packed > w.at.Size()-at:
		return errPages
	case h.kind != dataPage && h.kind != dictionaryPage && h.kind != dataPageV2:
		return errPages
	case h.encoding == deltaLengthByteArray || h.encoding == deltaByteArray:
		const lengths = 8 // bytes of memory for the length of a value
		if err := w.allows(h.values * lengths); err != nil {
			return err
		}
	}
	if err := w.allows(h.unpacked); err != nil {
		return err
	}
	if !h.hasCRC {
		return nil
	}
	sum := crc32.NewIEEE()
	if w.pack == nil {
		w.pack = make([]byte, 1<<16)
	}
	if _, err := io.CopyBuffer(struct{ io.Writer }{sum}, struct{ io.Reader }{io.NewSectionReader(w.at, at, h.packed)}, w.pack); err != nil {
		return err
	}
	if sum.Sum32() != uint32(h.crc) {
		return errors.New("the checksum of a page does not match its bytes")
	}
	return nil
}

// header reads the header of the page at an offset.
func (w *pageWalk) header(at, left int64) (pageHeader, error) {
	for n := int64(256); ; n *= 8 {
		n = min(n, left, maxPageHeader)
		if int64(cap(w.buf)) < n {
			w.buf = make([]byte, n)
		}
		b := w.buf[:n]
		if _, err := w.at.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
			return pageHeader{}, err
		}
		if h, ok := parsePageHeader(b); ok {
			return h, nil
		}
		if n == min(left, maxPageHeader) {
			return pageHeader{}, errPages
		}
	}
}

// parsePageHeader parses the page header at the start of b.
func parsePageHeader(b []byte) (h pageHeader, ok bool) {
	h = pageHeader{kind: -1, unpacked: -1, packed: -1, values: -1}
	w := thriftWalk{b: b}
	w.visit = func(path []int16, v int64) {
		if len(path) == 1 {
			switch path[0] {
			case 1:
				h.kind = v
			case 2:
				h.unpacked = v
			case 3:
				h.packed = v
			case 4:
				h.crc, h.hasCRC = v, true
			}
			return
		}
		const v1, dictionary, v2 = 5, 7, 8 // headers for each kind
		if len(path) > 2 || path[0] != v1 && path[0] != dictionary && path[0] != v2 {
			return
		}
		switch {
		case path[1] == 1:
			h.values = v
		case path[1] == 2 && path[0] != v2, path[1] == 4 && path[0] == v2:
			h.encoding = v
		}
	}
	w.structure(0)
	h.size = int64(len(b) - len(w.b))
	return h, !w.bad
}
