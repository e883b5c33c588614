package mars

import "math"

// annealing is the temperature, which decreases by 5 % every sixth step.
type annealing struct {
	Falls int `json:"falls"`
	Count int `json:"count"` // steps since the last decrease
}

// coldest is the lowest temperature.
const coldest = 0.01

// next returns the temperature of the next step: 1 for five steps, then 0.95^k for six steps each.
func (a *annealing) next() float64 {
	if a.Count == 5 {
		a.Falls, a.Count = a.Falls+1, 0
	} else {
		a.Count++
	}
	return max(math.Pow(0.95, float64(a.Falls)), coldest)
}
