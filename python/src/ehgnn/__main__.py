from ehgnn._binary import main

if __name__ == "__main__":
    main()
