package synth

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// Ratings are ratings of items by users: an example of numbers on edges between nodes that are the
// same in training and in prediction. Each user rates an item at most once.
type Ratings struct {
	Users, Items int
	List         []Rating
}

// Rating is a directed edge.
type Rating struct {
	User, Item int
	Value      float64 // rounded to a hundredth
}

// Shape of the ratings of NewRatings.
const (
	ratingMean   = 3.5
	ratingEffect = 0.5 // standard deviation of the effect of a user, and of that of an item
	ratingRank   = 3   // rank of the interaction
	ratingTaste  = 0.7 // standard deviation of the interaction
	ratingNoise  = 0.3 // standard deviation of the noise
)

// NewRatings draws ratings of random pairs of a user and an item:
//
//	value = 3.5 + a_u + b_i + p_u·q_i + noise
//
// with normal effects a and b of standard deviation 0.5, an interaction of rank 3 of standard
// deviation 0.7, and noise of standard deviation 0.3. A prediction that knows all effects has an
// error (RMSE) of 0.76 without the interaction, and of 0.3 with it.
//
// It returns an error for fewer than one user or item, or more ratings than pairs.
func NewRatings(users, items, ratings int, seed uint64) (*Ratings, error) {
	if users < 1 || items < 1 || users > math.MaxInt32 || items > math.MaxInt32 || ratings < 0 || int64(ratings) > int64(users)*int64(items) {
		return nil, fmt.Errorf("synth: %d ratings of %d items by %d users, expected users, items, and no more ratings than pairs", ratings, items, users)
	}
	r := rng.Stream(seed, "ratings", users, items, ratings)
	nodes := users + items
	effect, taste := make([]float64, nodes), make([]float64, nodes*ratingRank)
	for v := range effect {
		effect[v] = ratingEffect * r.NormFloat64()
	}
	scale := math.Sqrt(ratingTaste / math.Sqrt(ratingRank)) // of products, of which ratingRank are summed
	for i := range taste {
		taste[i] = scale * r.NormFloat64()
	}
	out := &Ratings{Users: users, Items: items}
	drawn := make(map[int64]bool, ratings)
	for len(out.List) < ratings {
		u, i := r.IntN(users), r.IntN(items)
		pair := int64(u)*int64(items) + int64(i)
		if drawn[pair] {
			continue
		}
		drawn[pair] = true
		x := ratingMean + effect[u] + effect[users+i] + ratingNoise*r.NormFloat64()
		for k := range ratingRank {
			x += taste[u*ratingRank+k] * taste[(users+i)*ratingRank+k]
		}
		out.List = append(out.List, Rating{u, i, math.Round(100*x) / 100})
	}
	return out, nil
}

// WriteEdges writes the ratings as CSV: source (u and the number of the user), target (i and the
// number of the item) and rating.
func (r *Ratings) WriteEdges(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"source", "target", "rating"}}
	for _, x := range r.List {
		rows = append(rows, []string{"u" + strconv.Itoa(x.User), "i" + strconv.Itoa(x.Item), strconv.FormatFloat(x.Value, 'f', 2, 64)})
	}
	return c.WriteAll(rows)
}
