package visit

// Sums are what a block says to a part: for each node of the part that has seen edges in the block,
// the sum of their messages in fixed point and how many ends of edges it is of.
type Sums struct {
	Block, Part int
	Rank        []int32 // rising
	Count       []int32
	Value       []int64 // [len(Rank),width], times 2^shift
}

// Total is the sums of all blocks for the nodes of a part.
type Total struct {
	Width int
	Shift int
	Count []int64 // ends of seen edges at each node
	Value []int64 // [n,Width]
}
