"""What may be asked: text to a question with its measure, the answers to it, and workloads of many questions."""
