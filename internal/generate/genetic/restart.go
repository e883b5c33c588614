package genetic

// progress is how much the mean of the best 100 has to rise to be progress.
const progress = 0.001

// watch begins anew where the best 100 since the last beginning have not risen for a while: parents
// are then the start molecules and what is found from then on.
func (s *search) watch() {
	sorted := ranked(s.pool.all[s.after:])
	if m := meanBest(sorted, 100); len(sorted) < 100 || m > s.peak+progress {
		s.peak, s.peaked = m, len(s.pool.all)
		return
	}
	if len(s.pool.all)-s.peaked >= s.config.Stagnation {
		s.after, s.peak, s.peaked = len(s.pool.all), 0, len(s.pool.all)
	}
}
