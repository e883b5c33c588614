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

// format is the format of a body or a reply.
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

// bodyFormat is the format of a request: JSON, NDJSON or tables. boundary separates the parts of
// tables.
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

// replyFormat is the most preferred format of the Accept header; otherwise if it has no preference.
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

// unpacked returns the decompressed body.
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

// lateGzip reads the gzip header at the first read.
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

// errPacked marks a body that is not a gzip stream.
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

// bodyProblem is the Problem for an error of reading a body.
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

// putBuffer returns a buffer to the pool, unless it is large.
func putBuffer(b *bytes.Buffer) {
	if b.Cap() <= 1<<20 {
		b.Reset()
		buffers.Put(b)
	}
}

// readBody reads the whole body of a request. Memory grows with the received bytes; the length in
// the header is not trusted.
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
			// The buffer doubles its size, and both buffers exist during the copy.
			more := int64(max(2*to.Cap(), minBody))
			if p := held.charge(more); p != nil {
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

// Limits of drain.
const (
	drainBytes = 64 << 20
	drainTime  = time.Second
)

// finish gives an unread rest of a body some time to arrive. Without this, net/http closes the
// connection at once, and the system resets it.
func finish(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(drainTime)) // connections of net/http have deadlines
}

// drain reads the rest of the body of a refused request: the system resets a connection that is closed with
// unread data, and the client might lose the reply. A client that waits for 100 Continue has not sent the
// body.
func drain(w http.ResponseWriter, r *http.Request) {
	finish(w)
	if r.Header.Get("Expect") == "" && http.NewResponseController(w).Flush() == nil {
		io.CopyN(io.Discard, r.Body, drainBytes) // after an error the connection is closed
	}
}

// minBody is the size of the buffer of a small body.
const minBody = 4 << 10

func tooLarge(most int64) *Problem {
	p := problemf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes (--max-body)", most)
	p.Expected = fmt.Sprintf("at most %d bytes", most)
	return p
}
