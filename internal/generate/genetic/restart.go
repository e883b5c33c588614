package genetic

// progress is how much the mean of the best 10 of the population has to rise to be progress.
const progress = 0.002

// population are the members that are parents and teach the model first: all, or, in a phase of its
// own, those that were found since it began.
func (s *search) population() []*member { return s.pool.all[s.since:] }

// watch changes the phase where the population has made no progress for a while. A family of molecules
// that is better than all others has all the parents, and others never get as far; so a phase begins with fresh molecules
// of the start list alone, and the next one has all molecules again. Where the best score is reached, each further molecule
// that has it is progress.
func (s *search) watch() {
	calls := len(s.pool.all)
	if m := meanBest(ranked(s.population()), 10); m > s.peak+progress {
		s.peak, s.peaked = m, calls
	}
	if s.since == 0 && s.crowd.saturated() && s.crowd.size > s.reached {
		s.peaked = calls
	}
	s.reached = s.crowd.size
	if calls-s.peaked < s.config.Stagnation {
		return
	}
	if s.since > 0 {
		s.since = 0
		s.peak = meanBest(ranked(s.pool.all), 10)
	} else if s.used < len(s.Start) {
		s.since, s.peak, s.begin = calls, 0, true
	}
	s.peaked = calls
}
