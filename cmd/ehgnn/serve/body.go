package serve

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// format is how a body or a reply is written.
type format int

const (
	formatNone format = iota
	formatJSON
	formatNDJSON
	formatCSV
	formatParquet
	formatTables // multipart/form-data with tables of nodes and edges
)

var mediaTypes = map[format]string{
	formatJSON: "application/json", formatNDJSON: "application/x-ndjson",
	formatCSV: "text/csv; charset=utf-8", formatParquet: "application/vnd.apache.parquet",
}

// formatOf is the format of a media type.
func formatOf(media string) format {
	switch media {
	case "application/json":
		return formatJSON
	case "application/x-ndjson", "application/jsonl", "application/ndjson":
		return formatNDJSON
	case "text/csv":
		return formatCSV
	case "application/vnd.apache.parquet", "application/x-parquet":
		return formatParquet
	}
	return formatNone
}

// bodyFormat is that of a request: JSON, NDJSON or tables, whose parts have a boundary between
// them.
func bodyFormat(r *http.Request) (f format, boundary string, p *Problem) {
	text := r.Header.Get("Content-Type")
	if f = formatOf(text); f == formatNone {
		media, params, err := mime.ParseMediaType(text)
		if err == nil {
			if f = formatOf(media); media == "multipart/form-data" {
				f, boundary = formatTables, params["boundary"]
			}
		}
	}
	if f != formatJSON && f != formatNDJSON && (f != formatTables || boundary == "") {
		p = problemf(http.StatusUnsupportedMediaType, "Content-Type is %q, expected application/json, application/x-ndjson or multipart/form-data", text)
		p.Found, p.Expected = text, "application/json, application/x-ndjson or multipart/form-data"
	}
	return f, boundary, p
}

// replyFormat is the format that the Accept header wants most; otherwise where it has no wish.
func replyFormat(r *http.Request, otherwise format) (format, *Problem) {
	accept := r.Header.Get("Accept")
	if accept == "" || accept == "*/*" {
		return otherwise, nil
	}
	best, weight := formatNone, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		f := formatOf(media)
		if media == "*/*" || media == "application/*" {
			f = otherwise
		} else if media == "text/*" {
			f = formatCSV
		}
		q := 1.0
		if text, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(text, 64); err != nil {
				continue
			}
		}
		if f != formatNone && q > weight {
			best, weight = f, q
		}
	}
	if best == formatNone {
		return best, problemf(http.StatusNotAcceptable, "Accept is %q, expected application/json, application/x-ndjson, text/csv or application/vnd.apache.parquet", accept)
	}
	return best, nil
}

// unpacked is the body as it was before it was packed.
func unpacked(r *http.Request) (io.Reader, *Problem) {
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return r.Body, nil
	case "gzip":
		return &lateGzip{from: r.Body}, nil
	default:
		return nil, problemf(http.StatusUnsupportedMediaType, "Content-Encoding is %q, expected gzip or none", encoding)
	}
}

// lateGzip reads the head of a gzip stream when it is first read from.
type lateGzip struct {
	from io.Reader
	z    *gzip.Reader
}

func (g *lateGzip) Read(to []byte) (n int, err error) {
	if g.z == nil {
		if g.z, err = gzip.NewReader(g.from); err != nil {
			g.z = nil
			return 0, packed(err)
		}
	}
	n, err = g.z.Read(to)
	return n, packed(err)
}

// errPacked marks a body that is no gzip stream.
var errPacked = errors.New("the body cannot be unpacked")

func packed(err error) error {
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %w", errPacked, err)
	}
	var corrupt interface{ Error() string }
	if errors.As(err, &corrupt) && strings.HasPrefix(corrupt.Error(), "flate: ") {
		return fmt.Errorf("%w: %w", errPacked, err)
	}
	return err
}

// bodyProblem is what an error of reading a body means to the caller.
func bodyProblem(err error) *Problem {
	var p *Problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, errPacked):
		return problemf(http.StatusBadRequest, "%v", err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problemf(http.StatusRequestTimeout, "the body did not come in time (--timeout)")
	}
	return problemf(http.StatusBadRequest, "the body cannot be read: %v", err)
}

// buffers hold bodies and replies of ordinary size.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// lend gives a buffer back, unless it is large.
func lend(b *bytes.Buffer) {
	if b.Cap() <= 1<<20 {
		b.Reset()
		buffers.Put(b)
	}
}

// readBody reads the body of a request whole. Memory is taken as bytes come, whatever the head
// of the request promises.
func readBody(r *http.Request, to *bytes.Buffer, most int64, held *share) *Problem {
	from, p := unpacked(r)
	if p != nil {
		return p
	}
	if r.ContentLength > most && from == io.Reader(r.Body) {
		return tooLarge(most)
	}
	defer guestOf(r.Context()).await()()
	for {
		if to.Available() < bytes.MinRead {
			// The buffer grows to twice its size, and while it is copied there are both.
			more := int64(max(2*to.Cap(), minBody))
			if p := held.take(more); p != nil {
				return p
			}
			to.Grow(int(more) - to.Len())
		}
		n, err := from.Read(to.AvailableBuffer()[:to.Available()])
		to.Write(to.AvailableBuffer()[:n])
		switch {
		case int64(to.Len()) > most:
			return tooLarge(most)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return bodyProblem(err)
		case r.Context().Err() != nil:
			return late(r.Context())
		}
	}
}

// Bounds of drain.
const (
	drainBytes = 64 << 20
	drainTime  = time.Second
)

// finish gives the rest of a body that is not read some time to come. Without it net/http closes the
// connection at once, and the system resets it.
func finish(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(drainTime)) // connections of net/http have deadlines
}

// drain reads what is left of the body of a request that was refused: the system resets a connection that
// is closed while there is something to read, and the caller might lose the reply. A caller that expects to be
// asked for the body has not sent it.
func drain(w http.ResponseWriter, r *http.Request) {
	finish(w)
	if r.Header.Get("Expect") == "" && http.NewResponseController(w).Flush() == nil {
		io.CopyN(io.Discard, r.Body, drainBytes) // after an error the connection ends
	}
}

// minBody is the size of the buffer of a small body.
const minBody = 4 << 10

func tooLarge(most int64) *Problem {
	p := problemf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes (--max-body)", most)
	p.Expected = fmt.Sprintf("at most %d bytes", most)
	return p
}
