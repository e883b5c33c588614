package explain

import (
	"github.com/ehgnn/ehgnn/internal/session"
)

// GraphNames returns the names of the graphs of a part, in order, as Record and Graphs read them.
func GraphNames(s *session.Session, part string) ([]string, error) {
	p, err := s.Part(part)
	if err != nil {
		return nil, err
	}
	return graphNames(s, p), nil
}
