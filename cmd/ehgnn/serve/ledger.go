package serve

import (
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// ledger bounds the memory that all requests hold together: bodies, graphs that are decoded or
// wait, predictions and replies. What requests hold is charged before memory is taken. A request
// for which there is no room is refused and does not wait, since it holds memory that others
// wait for.
type ledger struct {
	most int64 // bytes; 0 for no bound
	held atomic.Int64
}

// share is what one request holds of a ledger. One goroutine uses it at a time. The zero value
// and nil have no bound.
type share struct {
	of   *ledger
	held int64
}

// requestBytes is what a request holds in any case: buffers, its decoder and goroutines.
const requestBytes = 96 << 10

// take charges n bytes. Where there is no room for them the problem has status 503 or, if there
// would be none for this request alone, 413.
func (s *share) take(n int64) *Problem {
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

// back gives back what was charged since the share held some bytes.
func (s *share) back(held int64) {
	if s != nil && s.of != nil {
		s.of.held.Add(held - s.held)
		s.held = held
	}
}

// holds is how many bytes are charged.
func (s *share) holds() int64 {
	if s == nil {
		return 0
	}
	return s.held
}

// meter charges what a reader of tables takes, and gives back what it releases (n below 0).
func (s *share) meter(n int64) error {
	if n < 0 {
		s.back(max(s.holds()+n, 0))
		return nil
	}
	if p := s.take(n); p != nil {
		return fmt.Errorf("serve: %w", p)
	}
	return nil
}
