package serve

import (
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// ledger limits the memory that all requests use together: bodies, decoded and waiting graphs,
// predictions and replies. Memory is charged before it is allocated. A request for which there is
// no room is refused and does not wait, because it holds memory that others wait for.
type ledger struct {
	most int64 // bytes; 0 for no limit
	held atomic.Int64
}

// share is the charged memory of one request. One goroutine uses it at a time. The zero value and
// nil have no limit.
type share struct {
	of   *ledger
	held int64
}

// requestBytes is the memory that each request needs: buffers, its decoder and goroutines.
const requestBytes = 96 << 10

// charge charges n bytes. If there is no room, the problem has status 503, or 413 if this request
// alone exceeds the limit.
func (s *share) charge(n int64) *Problem {
	if s == nil || s.of == nil || s.of.most == 0 {
		return nil
	}
	if s.held+n > s.of.most {
		p := problemf(http.StatusRequestEntityTooLarge, "the request takes more than the %s of memory that all requests may hold (--memory)", memory.Text(s.of.most))
		p.Expected = "a smaller request"
		return p
	}
	if s.of.held.Add(n) > s.of.most {
		s.of.held.Add(-n)
		return problemf(http.StatusServiceUnavailable, "the requests in progress hold the %s of memory that they may (--memory)", memory.Text(s.of.most))
	}
	s.held += n
	return nil
}

// release releases what was charged since the share had the given number of bytes.
func (s *share) release(held int64) {
	if s != nil && s.of != nil {
		s.of.held.Add(held - s.held)
		s.held = held
	}
}

// charged is the number of charged bytes.
func (s *share) charged() int64 {
	if s == nil {
		return 0
	}
	return s.held
}

// meter charges the memory of a reader of tables, and releases it for negative n.
func (s *share) meter(n int64) error {
	if n < 0 {
		s.release(max(s.charged()+n, 0))
		return nil
	}
	if p := s.charge(n); p != nil {
		return fmt.Errorf("serve: %w", p)
	}
	return nil
}
