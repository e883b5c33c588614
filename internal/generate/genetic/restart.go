package genetic

// progress is the smallest increase of the mean of the population's best 10 that counts as
// progress.
const progress = 0.002

// population returns the members that can be parents and that the model learns first: all members
// or, in a phase with a separate population, the members found since it began.
func (s *search) population() []*member { return s.pool.all[s.since:] }

// watch changes the phase if the population has made no progress for a while. A family of molecules
// that is better than all others supplies all parents, so other families never improve. Therefore a
// phase with fresh molecules of the start list alone begins, and the next phase has all molecules
// again. If the best score is reached, each further molecule with this score counts as progress.
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
