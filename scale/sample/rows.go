package sample

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// rows is a file of rows of fixed width, read here and there.
type rows struct {
	f     *os.File
	width int // bytes of a row
}

// gap is how many bytes are read in vain rather than asking the system again.
const gap = 4096

// read puts the rows with these numbers one after the other into dst, on as many threads.
// Neighbours that rise are read together.
func (r *rows) read(ids []int64, dst []byte, threads int) error {
	const least = 1024 // rows of a thread
	threads = max(min(threads, len(ids)/least), 1)
	errs := make([]error, threads)
	var wait sync.WaitGroup
	for t := range threads {
		lo, hi := t*len(ids)/threads, (t+1)*len(ids)/threads
		part := func() { errs[t] = r.readRun(ids[lo:hi], dst[lo*r.width:hi*r.width]) }
		if t == threads-1 {
			part()
		} else {
			wait.Go(part)
		}
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *rows) readRun(ids []int64, dst []byte) error {
	if r.width == 0 {
		return nil
	}
	const most = 1 << 16 // bytes of one read
	w := int64(r.width)
	var buf []byte
	for at := 0; at < len(ids); {
		first, end := ids[at], at+1
		for end < len(ids) && ids[end] >= ids[end-1] && (ids[end]-ids[end-1])*w <= gap && (ids[end]+1-first)*w <= most {
			end++
		}
		span := (ids[end-1] + 1 - first) * w
		to := dst[at*r.width : end*r.width]
		if span != int64(len(to)) { // there are rows between that nobody asked for
			if int64(cap(buf)) < span {
				buf = make([]byte, max(span, most))
			}
			to = buf[:span]
		}
		if _, err := r.f.ReadAt(to, first*w); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("sample: %s: row %d: %w", r.f.Name(), first, err)
		}
		if span != int64((end-at)*r.width) {
			for k := at; k < end; k++ {
				copy(dst[k*r.width:][:r.width], to[(ids[k]-first)*w:])
			}
		}
		at = end
	}
	return nil
}
