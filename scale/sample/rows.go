package sample

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// rows is a file of rows of fixed width, with random access.
type rows struct {
	f     *os.File
	width int // bytes per row
}

// gap is the largest number of unneeded bytes between two rows that are read with them, because
// that is faster than another system call.
const gap = 4096

// read copies the rows with these numbers into dst, one after the other, on the given number of
// threads. It reads rows that are close to each other and in ascending order together.
func (r *rows) read(ids []int64, dst []byte, threads int) error {
	const least = 1024 // smallest number of rows for a thread
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
	const most = 1 << 16 // bytes in one read
	w := int64(r.width)
	var buf []byte
	for at := 0; at < len(ids); {
		first, end := ids[at], at+1
		for end < len(ids) && ids[end] >= ids[end-1] && (ids[end]-ids[end-1])*w <= gap && (ids[end]+1-first)*w <= most {
			end++
		}
		span := (ids[end-1] + 1 - first) * w
		to := dst[at*r.width : end*r.width]
		if span != int64(len(to)) { // there are unneeded rows in between
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
