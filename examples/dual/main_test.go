package main

// Numbers have three digits, so that they are those of any processor.
func Example() {
	main()
	// Output:
	// graph: 4 nodes of width 3, 3 edges of width 3
	// dual:  3 nodes of width 3, 4 hyperedges of width 3
	// node 0      [-0.590 -0.465]
	// node 1      [-0.207 -0.955]
	// node 2      [ 0.066 -0.642]
	// node 3      [-0.258 -0.629]
	// edge 0 - 1  [-0.160 -0.567]
	// edge 1 - 2  [-0.143 -0.492]
	// edge 1 - 3  [-0.148 -0.523]
	// kept edge 1 - 2 with score -0.388
	// kept edge 1 - 3 with score -0.404
	// left: 4 nodes, 2 edges
}
