package session

import "github.com/ehgnn/ehgnn/internal/source"

// LabelName is the column of the data that the run predicts; empty if the data do not name it.
func (s *Session) LabelName() string {
	if c, ok := s.Data.(*source.ColumnData); ok && c.Set.Label != nil {
		return c.Set.Label.Name
	}
	return ""
}
