package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/ehgnn/ehgnn/internal/version"
)

// downloader downloads the files of one set.
type downloader struct {
	opts    Options
	set     Set
	records *records
	before  int64 // bytes of the completed files
	total   int64
	sized   bool // total is the sum of all files
}

var (
	errStalled = errors.New("the connection stalled")
	errShort   = errors.New("the connection ended early")
)

// again is an error after which another attempt may succeed.
type again struct {
	err   error
	after time.Duration // how long the server asks to wait
}

func (e *again) Error() string { return e.err.Error() }
func (e *again) Unwrap() error { return e.err }

// file downloads one file to a path and checks it. It continues an earlier attempt, whose part is
// next to the path.
func (d *downloader) file(ctx context.Context, f File, to string) (Fetched, error) {
	if _, err := os.Stat(to); err == nil { // from an earlier call
		if got, err := d.verify(f, to); err == nil {
			d.done(f, got.Bytes)
			return got, nil
		}
		os.Remove(to)
	}
	part := to + ".part"
	failures, damaged := 0, false
	// Only bytes beyond the longest part so far count as progress: a part that is dropped and
	// downloaded again does not.
	most := sizeOf(part)
	for {
		err := d.attempt(ctx, f, part)
		if err == nil {
			got, err := d.verify(f, part)
			if err == nil {
				os.Remove(part + ".json")
				d.done(f, got.Bytes)
				return got, os.Rename(part, to)
			}
			os.Remove(part)
			// It may have been damaged in transfer: try once more from the start.
			if !errors.Is(err, ErrChecksum) || damaged {
				return Fetched{}, err
			}
			damaged, most = true, 0
			d.progress(f, 0, "checksum differs, downloading again")
			continue
		}
		if ctx.Err() != nil {
			return Fetched{}, ctx.Err()
		}
		var retry *again
		if !errors.As(err, &retry) {
			return Fetched{}, err
		}
		if failures++; sizeOf(part) > most {
			failures, most = 1, sizeOf(part)
		}
		if failures > d.opts.Retries {
			return Fetched{}, fmt.Errorf("%s: given up after %d attempts that brought nothing new, with %d of %s bytes: %w",
				f.URL, failures, most, d.expected(f), retry.err)
		}
		pause := min(d.opts.Pause<<(failures-1), time.Minute)
		pause = max(pause, min(retry.after, time.Minute))
		d.progress(f, sizeOf(part), fmt.Sprintf("%v; again in %v", retry.err, pause.Round(time.Millisecond)))
		select {
		case <-ctx.Done():
			return Fetched{}, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// done reports that a file is complete.
func (d *downloader) done(f File, size int64) {
	d.before += size
	if len(d.set.Files) == 1 { // the server may have stated another size
		d.total, d.sized = size, true
	}
	d.progress(f, 0, "")
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func (d *downloader) progress(f File, done int64, note string) {
	p := Progress{File: path.Base(f.URL), Done: d.before + done, Note: note}
	if d.sized {
		p.Total = d.total
	}
	d.opts.Progress(p)
}

// origin identifies the version of a file that a part belongs to, by the validators of HTTP.
// If-Range takes a strong one.
type origin struct {
	URL          string `json:"url"`
	ETag         string `json:"etag"`
	LastModified string `json:"last_modified"`
}

func (o origin) validator() string {
	if o.ETag != "" && !strings.HasPrefix(o.ETag, "W/") {
		return o.ETag
	}
	return o.LastModified
}

// attempt requests the missing bytes of part and appends them. The error is an *again if another
// attempt may succeed.
func (d *downloader) attempt(ctx context.Context, f File, part string) error {
	address, err := mirrored(d.opts.Mirror, f.URL)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(d.opts.Stall, func() { cancel(errStalled) })
	defer watch.Stop()

	have := sizeOf(part)
	var from origin
	if have > 0 {
		text, _ := os.ReadFile(part + ".json")
		_ = json.Unmarshal(text, &from) // if it is damaged there is no origin: start again
		// Without a validator only a checksum can distinguish two versions.
		if from.URL != address || from.validator() == "" && f.SHA256 == "" {
			have = 0
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", "ehgnn/"+version.String())
	req.Header.Set("Accept-Encoding", "identity") // ranges and sizes are those of the file
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		if v := from.validator(); v != "" {
			req.Header.Set("If-Range", v)
		}
	}
	resp, err := d.opts.Client.Do(req)
	if err != nil {
		return &again{err: cause(ctx, err)}
	}
	defer resp.Body.Close()

	switch {
	case resp.StatusCode == http.StatusOK:
		have = 0
	case resp.StatusCode == http.StatusPartialContent && have > 0:
		start, _, ok := contentRange(resp.Header.Get("Content-Range"))
		if !ok || start != have {
			return d.restart(part, fmt.Sprintf("the server sends another range than asked for: Content-Range %q, expected one from byte %d",
				resp.Header.Get("Content-Range"), have))
		}
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && have > 0:
		// The part is complete, or belongs to another file.
		if _, total, ok := contentRange(resp.Header.Get("Content-Range")); ok && total == have {
			return nil
		}
		return d.restart(part, fmt.Sprintf("the server does not know the range from byte %d that was asked for", have))
	case retryable(resp.StatusCode):
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return &again{err: &StatusError{address, resp.StatusCode}, after: time.Duration(min(max(seconds, 0), 3600)) * time.Second}
	default:
		return &StatusError{address, resp.StatusCode}
	}

	limit := d.limit(f)
	if resp.ContentLength > limit-have {
		os.Remove(part)
		return d.tooLong(f)
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if have == 0 {
		flags |= os.O_TRUNC
		text, err := json.Marshal(origin{address, resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")})
		if err != nil {
			return err
		}
		// Removed first, so that a new validator never belongs to old bytes.
		if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.WriteFile(part+".json", text, 0o644); err != nil {
			return err
		}
	}
	if !d.sized && len(d.set.Files) == 1 && resp.ContentLength > 0 {
		d.total, d.sized = have+resp.ContentLength, true
	}
	file, err := os.OpenFile(part, flags, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	return d.copy(ctx, f, file, resp, have, limit, watch)
}

// copy appends the body to the file, which has have bytes.
func (d *downloader) copy(ctx context.Context, f File, file *os.File, resp *http.Response, have, limit int64, watch *time.Timer) error {
	buf := make([]byte, 64<<10)
	left := resp.ContentLength
	for {
		n, err := resp.Body.Read(buf)
		watch.Reset(d.opts.Stall)
		if n > 0 {
			if _, err := file.Write(buf[:n]); err != nil {
				return err // trying again does not help with a full disk
			}
			have += int64(n)
			left -= int64(n)
			d.progress(f, have, "")
		}
		switch {
		case have > limit:
			file.Truncate(0)
			return d.tooLong(f)
		case err == io.EOF && resp.ContentLength >= 0 && left != 0, err == io.EOF && f.Size > 0 && have < f.Size,
			errors.Is(err, io.ErrUnexpectedEOF):
			return &again{err: errShort}
		case err == io.EOF:
			return file.Close()
		case err != nil:
			return &again{err: cause(ctx, err)}
		}
	}
}

// limit is the number of bytes after which a download of the file is stopped.
func (d *downloader) limit(f File) int64 {
	switch {
	case f.Size > 0:
		return f.Size
	case d.opts.MaxSize > 0:
		return d.opts.MaxSize
	case f.MaxSize > 0:
		return f.MaxSize
	}
	return defaultMaxSize
}

// expected is limit as text.
func (d *downloader) expected(f File) string {
	if f.Size > 0 {
		return fmt.Sprint(f.Size)
	}
	return fmt.Sprintf("at most %d", d.limit(f))
}

// tooLong returns the error for a body longer than limit.
func (d *downloader) tooLong(f File) error {
	if f.Size > 0 {
		return fmt.Errorf("%s: the server sends more than the %d bytes expected", f.URL, f.Size)
	}
	return fmt.Errorf("%s: the server sends more than %d bytes, expected at most that; if the file is known to be larger, raise the bound",
		f.URL, d.limit(f))
}

// restart drops the part and returns an error for a new attempt from the start.
func (d *downloader) restart(part, why string) error {
	if err := os.Remove(part); err != nil {
		return err
	}
	return &again{err: errors.New(why)}
}

// cause returns the reason why a context was cancelled, or else err.
func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil {
		return c
	}
	return err
}

// contentRange reads "bytes 5-9/10" and "bytes */10". A total of "*" is -1.
func contentRange(text string) (start, total int64, ok bool) {
	text, ok = strings.CutPrefix(text, "bytes ")
	if !ok {
		return 0, 0, false
	}
	span, all, ok := strings.Cut(text, "/")
	if !ok {
		return 0, 0, false
	}
	total = -1
	if all != "*" {
		n, err := strconv.ParseInt(all, 10, 64)
		if err != nil {
			return 0, 0, false
		}
		total = n
	}
	if span == "*" {
		return 0, total, true
	}
	first, _, _ := strings.Cut(span, "-")
	start, err := strconv.ParseInt(first, 10, 64)
	return start, total, err == nil
}

// verify compares a file with its known or recorded checksum.
func (d *downloader) verify(f File, name string) (Fetched, error) {
	file, err := os.Open(name)
	if err != nil {
		return Fetched{}, err
	}
	defer file.Close()
	h := sha256.New()
	n, err := io.Copy(h, file)
	if err != nil {
		return Fetched{}, err
	}
	got := Fetched{URL: f.URL, Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil)), Checked: "first"}
	want := f.SHA256
	switch recorded := d.records.sums[f.URL]; {
	case want != "":
		got.Checked = "catalogue"
	case recorded != "" && !d.opts.Force:
		want, got.Checked = recorded, "record"
	}
	if want != "" && want != got.SHA256 {
		hint := ""
		if got.Checked == "record" {
			hint = ", recorded at an earlier download; if the change is known to be right, use force"
		}
		return got, fmt.Errorf("%s: %w: %s, expected %s%s", f.URL, ErrChecksum, got.SHA256, want, hint)
	}
	return got, nil
}
