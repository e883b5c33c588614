package links

// FNV1a64 returns the 64-bit FNV-1a hash of an id.
func FNV1a64(id string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * 1099511628211
	}
	return h
}

// Mix is one step of splitmix64: it adds the constant of the generator and applies the finalizer.
func Mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// tie orders candidates with equal scores. It is a function of the seed and two hashed ids.
func tie(seed, a, b uint64) uint64 { return Mix(Mix(Mix(seed)^a) ^ b) }

// stream is a splitmix64 generator. Each positive has its own, so it must be cheap to start.
type stream uint64

func (s *stream) next() uint64 {
	v := Mix(uint64(*s))
	*s += 0x9E3779B97F4A7C15
	return v
}

// float returns a uniform number in [0,1).
func (s *stream) float() float64 { return float64(s.next()>>11) / (1 << 53) }

// intn returns a uniform whole number in [0,n).
func (s *stream) intn(n int) int { return int(s.float() * float64(n)) }
