package task

// GraphNames are the names of the graphs of a part, in their order, as Record and Explain take
// them.
func (s *Session) GraphNames(part string) ([]string, error) {
	p, err := s.part(part)
	if err != nil {
		return nil, err
	}
	return s.graphNames(p), nil
}
